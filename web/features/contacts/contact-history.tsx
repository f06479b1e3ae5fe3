import { Link } from '@tanstack/react-router';
import { titleOf } from '../../api/message.ts';
import { usePagedTool } from '../../api/use-paged-tool.ts';
import { useWorkflowNames } from '../../api/use-workflow-names.ts';
import { contactsTexts } from '../../texts/contacts.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { messagesTexts } from '../../texts/messages.texts.ts';
import { runsTexts } from '../../texts/runs.texts.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Section } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { PagedTable } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { contactMessages, contactRuns } from './contact.readers.ts';

const ROWS = 10;

/** Shows the messages and the runs of a contact. */
export function ContactHistory({ contactId }: { contactId: string }) {
  const texts = useTexts(contactsTexts);
  const words = useTexts(messagesTexts);
  const { workflow, created } = useTexts(runsTexts);
  const given = { contact_id: contactId, limit: ROWS };
  const messages = usePagedTool('list_messages', given, contactMessages);
  const runs = usePagedTool('list_runs', given, contactRuns);
  const names = useWorkflowNames(runs.data?.runs.map((run) => run.workflow_id) ?? []);
  return (
    <>
      <Section title={texts.messages}>
        <PagedTable
          label={texts.messages}
          query={messages}
          rows={messages.data?.messages}
          keyOf={({ id }) => id}
          isLinked
          columns={[
            {
              name: words.subject,
              cell: (message) => (
                <Link to="/messages/$messageId" params={{ messageId: message.id }}>
                  <ForeignText text={titleOf(message, words.noSubject)} />
                </Link>
              ),
            },
            { name: words.status, cell: ({ status }) => <StatusBadge status={status} /> },
            { name: words.created, cell: ({ created_at: at }) => <Time value={at} /> },
          ]}
          empty={<p>{texts.noMessages}</p>}
        />
      </Section>
      <Section title={texts.runs}>
        <PagedTable
          label={texts.runs}
          query={runs}
          rows={runs.data?.runs}
          keyOf={({ id }) => id}
          isLinked
          columns={[
            {
              name: workflow,
              cell: ({ id, workflow_id: workflowId }) => (
                <Link to="/runs/$runId" params={{ runId: id }}>
                  <ForeignText text={names.get(workflowId) ?? workflowId} />
                </Link>
              ),
            },
            { name: words.status, cell: ({ status }) => <StatusBadge status={status} /> },
            { name: created, cell: ({ created_at: at }) => <Time value={at} /> },
          ]}
          empty={<p>{texts.noRuns}</p>}
        />
      </Section>
    </>
  );
}
