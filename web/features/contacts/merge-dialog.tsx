import { useState } from 'react';
import { type Contact, contactResult, nameOf } from '../../api/contact.ts';
import { useTool, useToolCall } from '../../api/tools.ts';
import { contactMergeTexts } from '../../texts/contact-merge.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { SelectField } from '../../ui/field.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Skeleton } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import { mergePreview, mergeResult } from './merge.readers.ts';

/** The tools whose results change when contacts are merged or restored. */
export const CHANGED_BY_MERGES = [
  'find_duplicates',
  'search_contacts',
  'get_contact',
  'list_contact_aliases',
  'list_contact_merges',
  'list_messages',
  'list_runs',
];
const SHOWN = [
  'email',
  'phone',
  'external_id',
  'first_name',
  'last_name',
  'locale',
  'timezone',
] as const;
type Shown = (typeof SHOWN)[number] | 'tags';

/** Shows two contacts beside each other and the result of a dry run, and merges them when a person agrees. */
export function MergeDialog({ ids, onClose }: { ids: [string, string]; onClose: () => void }) {
  const texts = useTexts(contactMergeTexts);
  const toast = useToast();
  const [isSwapped, setSwapped] = useState(false);
  const [contactId, otherId] = isSwapped ? [ids[1], ids[0]] : ids;
  const given = { contact_id: contactId, other_id: otherId };
  const first = useTool('get_contact', { contact_id: ids[0] }, contactResult).data?.contact;
  const second = useTool('get_contact', { contact_id: ids[1] }, contactResult).data?.contact;
  const preview = useTool('merge_contacts', { ...given, dry_run: true }, mergePreview);
  const merge = useToolCall('merge_contacts', mergeResult, CHANGED_BY_MERGES);
  const [survivor, other] = isSwapped ? [second, first] : [first, second];
  const result = preview.isPlaceholderData ? undefined : preview.data?.result;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={texts.title}
      description={texts.about}
      action={texts.merge}
      isBusy={merge.isPending}
      error={merge.error}
      onConfirm={() => {
        if (!result) return;
        merge.mutate(given, {
          onSuccess: () => {
            onClose();
            toast(texts.merged);
          },
        });
      }}
    >
      <SelectField
        label={texts.survivor}
        value={contactId}
        options={[first, second].flatMap((person) =>
          person
            ? [{ value: person.id, label: `${nameOf(person) ?? texts.unnamed} (${person.id})` }]
            : [],
        )}
        onChange={(id) => setSwapped(id === ids[1])}
      />
      {preview.error && <ErrorPanel error={preview.error} onRetry={() => void preview.refetch()} />}
      {!result && !preview.error && <Skeleton rows={4} />}
      {survivor && other && result && (
        <>
          <Table
            label={texts.title}
            rows={fieldsOf(survivor, other)}
            keyOf={(field) => field}
            columns={[
              { name: texts.field, cell: (field) => texts.fields[field] },
              { name: texts.stays, cell: (field) => <Value person={survivor} field={field} /> },
              { name: texts.goes, cell: (field) => <Value person={other} field={field} /> },
              {
                name: texts.after,
                cell: (field) => <Value person={result.contact} field={field} />,
              },
            ]}
          />
          <p>{texts.moves(result.moved)}</p>
        </>
      )}
    </ConfirmDialog>
  );
}

function Value({ person, field }: { person: Contact; field: Shown }) {
  return <ForeignText text={valueOf(person, field) || '–'} />;
}

function valueOf(person: Contact, field: Shown): string {
  return field === 'tags' ? person.tags.join(', ') : (person[field] ?? '');
}

/** Returns the fields that one of the contacts has. */
function fieldsOf(...people: Contact[]): Shown[] {
  return ([...SHOWN, 'tags'] as const).filter((field) =>
    people.some((person) => valueOf(person, field) !== ''),
  );
}
