import { useState } from 'react';
import { useTool, useToolCall } from '../../api/tools.ts';
import { contactMergeTexts } from '../../texts/contact-merge.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { CHANGED_BY_MERGES } from './merge-dialog.tsx';
import { type ContactMerge, mergeList, unmergeResult } from './merge.readers.ts';

/** Shows the contacts that were merged into a contact and can be restored. Shows nothing when there are none. */
export function ContactMerges({ contactId }: { contactId: string }) {
  const { unmerge: texts } = useTexts(contactMergeTexts);
  const toast = useToast();
  const query = useTool('list_contact_merges', { contact_id: contactId }, mergeList);
  const call = useToolCall('unmerge_contacts', unmergeResult, CHANGED_BY_MERGES);
  const [asked, setAsked] = useState<ContactMerge>();
  const close = (): void => {
    setAsked(undefined);
    call.reset();
  };
  if (query.error) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  const merges = query.data?.merges ?? [];
  if (merges.length === 0) return null;
  return (
    <Section title={texts.title} about={texts.about}>
      <Table
        label={texts.title}
        rows={merges}
        keyOf={({ merged_id: id }) => id}
        columns={[
          { name: texts.name, cell: ({ name }) => <ForeignText text={name} /> },
          { name: texts.at, cell: ({ merged_at: at }) => <Time value={at} /> },
          { name: texts.until, cell: ({ undo_until: at }) => <Time value={at} /> },
          {
            name: texts.actions,
            cell: (merge) => (
              <Button size="small" onClick={() => setAsked(merge)}>
                {texts.restore}
                <span className="hidden-visually"> {merge.name}</span>
              </Button>
            ),
          },
        ]}
      />
      <ConfirmDialog
        isOpen={asked !== undefined}
        onClose={close}
        title={texts.ask(asked?.name ?? '')}
        description={texts.askAbout}
        action={texts.restore}
        isBusy={call.isPending}
        error={call.error}
        onConfirm={() =>
          asked &&
          call.mutate(
            { merged_id: asked.merged_id },
            {
              onSuccess: () => {
                close();
                toast(texts.restored);
              },
            },
          )
        }
      />
    </Section>
  );
}
