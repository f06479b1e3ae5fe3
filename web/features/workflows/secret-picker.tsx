import { useState } from 'react';
import { useTool } from '../../api/tools.ts';
import { editorTexts } from '../../texts/editor.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { SearchDialog } from './search-dialog.tsx';
import { secretNames } from './workflow.readers.ts';

interface PickerProps {
  onPick: (secret: { name: string; kind: string }) => void;
}

/** Offers the secrets of the organization. They are read when a person opens the list. */
export function SecretPicker({ onPick }: PickerProps) {
  const texts = useTexts(editorTexts);
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useTool('list_secrets', {}, secretNames, isOpen);
  const secrets = data?.secrets ?? [];
  return (
    <div>
      <Button size="small" onClick={() => setOpen(true)}>
        {texts.secretPick}
      </Button>
      {isOpen && error && <ErrorPanel error={error} />}
      {isOpen && data && (
        <SearchDialog
          title={texts.secretPick}
          search={texts.secretSearch}
          none={texts.secretNone}
          choices={secrets.map(({ name, hosts }) => ({
            name,
            label: name,
            about: hosts.join(', '),
          }))}
          onChoose={(name) => {
            setOpen(false);
            const secret = secrets.find((each) => each.name === name);
            if (secret) onPick(secret);
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}
