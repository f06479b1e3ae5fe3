import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { secretsTexts } from '../../texts/secrets.texts.ts';
import { uiTexts } from '../../texts/ui.texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import {
  CLIENT_AUTH,
  FIELDS_OF_KIND,
  SECRET_KINDS,
  type SecretDraft,
  draftOf,
  toArguments,
} from './secret-draft.ts';
import { type Secret, secretResult } from './secret.readers.ts';
import styles from './secrets.module.css';

interface SecretDialogProps {
  /** The stored secret. Undefined for a new secret. */
  secret: Secret | undefined;
  onDone: () => void;
  onClose: () => void;
}

/** Shows the form of a secret. A stored secret can be replaced, but not read. */
export function SecretDialog({ secret, onDone, onClose }: SecretDialogProps) {
  const texts = useTexts(secretsTexts);
  const { cancel } = useTexts(uiTexts);
  const call = useToolCall('set_secret', secretResult, ['list_secrets']);
  const [draft, setDraft] = useState(() => draftOf(secret));
  const faults = call.error instanceof ApiError ? call.error.faults : [];
  const fields = FIELDS_OF_KIND[draft.kind];
  const isClient = draft.kind === 'oauth2_client';
  const shown: readonly string[] = ['name', 'secret', 'hosts', ...fields];
  const fieldOf = (path: string): string => path.split(/[.[]/)[0] ?? '';
  const bind = (field: Exclude<keyof SecretDraft, 'kind'>) => ({
    value: draft[field],
    onChange: (value: string) => setDraft((before) => ({ ...before, [field]: value })),
    fault: faults.find(({ path }) => fieldOf(path) === field)?.message,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    call.mutate(toArguments(draft), { onSuccess: onDone });
  };
  return (
    <Dialog isOpen onClose={onClose} title={secret ? texts.change(secret.name) : texts.add} isWide>
      <form className={styles.form} noValidate onSubmit={submit}>
        {!secret && (
          <TextField
            label={texts.name}
            description={texts.nameAbout}
            autoComplete="off"
            spellCheck={false}
            {...bind('name')}
          />
        )}
        <SelectField
          label={texts.kind}
          description={texts.kinds[draft.kind].about}
          options={SECRET_KINDS.map((value) => ({ value, label: texts.kinds[value].name }))}
          value={draft.kind}
          onChange={(value) => {
            const kind = SECRET_KINDS.find((one) => one === value);
            if (kind) setDraft((before) => ({ ...before, kind }));
          }}
        />
        {fields.map((field) =>
          field === 'client_auth' ? (
            <SelectField
              key={field}
              label={texts.fields.client_auth}
              options={CLIENT_AUTH.map((value) => ({ value, label: texts.clientAuth[value] }))}
              {...bind(field)}
            />
          ) : (
            <TextField
              key={field}
              label={isClient && field === 'header' ? texts.tokenHeader : texts.fields[field]}
              isRequired={field === 'scope' || (isClient && field === 'header') ? false : undefined}
              autoComplete="off"
              spellCheck={false}
              {...bind(field)}
            />
          ),
        )}
        <TextField
          type="password"
          label={texts.kinds[draft.kind].secret}
          description={secret ? texts.secretKept : texts.secretAbout}
          isRequired={secret ? false : undefined}
          autoComplete="off"
          {...bind('secret')}
        />
        <TextAreaField
          label={texts.hosts}
          description={texts.hostsAbout}
          isCode
          rows={3}
          {...bind('hosts')}
        />
        {call.error && (
          <ErrorPanel
            error={call.error}
            shownPaths={faults
              .map(({ path }) => path)
              .filter((path) => shown.includes(fieldOf(path)))}
          />
        )}
        <div className={styles.actions}>
          <Button onClick={onClose}>{cancel}</Button>
          <Button type="submit" look="primary" isBusy={call.isPending}>
            {texts.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
