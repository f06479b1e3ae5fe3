import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Arguments, useToolCall } from '../../api/tools.ts';
import { usePagedTool } from '../../api/use-paged-tool.ts';
import { useTexts } from '../../texts/language.tsx';
import { propertiesTexts } from '../../texts/properties.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Section } from '../../ui/page.tsx';
import { PagedTable } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import { removedValues, unfitValues } from './property.readers.ts';

const ROWS = 10;

/** Shows the values of contacts that do not fit a property with this name and type. Lets a person remove them. */
export function UnfitValues({ rule }: { rule: Arguments }) {
  const texts = useTexts(propertiesTexts);
  const toast = useToast();
  const query = usePagedTool('list_unfit_values', { ...rule, limit: ROWS }, unfitValues);
  const remove = useToolCall('remove_unfit_values', removedValues, [
    'list_unfit_values',
    'search_contacts',
    'get_contact',
  ]);
  const [isAsked, setAsked] = useState(false);
  const rows = query.data?.unfit_values;
  return (
    <Section title={texts.unfit} about={texts.unfitAbout}>
      <PagedTable
        label={texts.unfit}
        query={query}
        rows={rows}
        keyOf={(row) => row.contact_id}
        columns={[
          {
            name: texts.contact,
            cell: (row) => (
              <Link to="/contacts/$contactId" params={{ contactId: row.contact_id }}>
                {row.contact_id}
              </Link>
            ),
          },
          { name: texts.value, cell: ({ value }) => value },
        ]}
        empty={<p>{texts.allFit}</p>}
      />
      {rows && rows.length > 0 && (
        <div>
          <Button look="danger" onClick={() => setAsked(true)}>
            {texts.remove}
          </Button>
        </div>
      )}
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => {
          setAsked(false);
          remove.reset();
        }}
        title={texts.removeTitle}
        description={texts.removeText}
        action={texts.remove}
        isDangerous
        isBusy={remove.isPending}
        error={remove.error}
        onConfirm={() =>
          remove.mutate(rule, {
            onSuccess: ({ removed }) => {
              setAsked(false);
              toast(texts.removed(removed));
            },
          })
        }
      />
    </Section>
  );
}
