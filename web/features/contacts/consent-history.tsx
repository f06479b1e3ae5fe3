import { usePagedTool } from '../../api/use-paged-tool.ts';
import { contactsTexts } from '../../texts/contacts.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { messagesTexts } from '../../texts/messages.texts.ts';
import { topicsTexts } from '../../texts/topics.texts.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Section } from '../../ui/page.tsx';
import { PagedTable } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { type ConsentChange, consentChangePage } from './permission.readers.ts';

const ROWS = 10;

/** Shows the log of consent of a contact, with the evidence of each change. */
export function ConsentHistory({ contactId }: { contactId: string }) {
  const { contact: texts } = useTexts(topicsTexts);
  const sources: Readonly<Record<string, string>> = texts.sources;
  const channels: Readonly<Record<string, string>> = useTexts(messagesTexts).channels;
  const states: Readonly<Record<string, string>> = {
    ...texts.states,
    ...useTexts(contactsTexts).filters.consent,
  };
  const stateOf = (state: string | null): string | null => state && (states[state] ?? state);
  const subjectOf = ({ kind, name }: ConsentChange): string =>
    kind === 'channel' ? (channels[name] ?? name) : name;
  const given = { contact_id: contactId, limit: ROWS };
  const query = usePagedTool('list_consent_changes', given, consentChangePage);
  return (
    <Section title={texts.history} about={texts.historyAbout}>
      <PagedTable
        label={texts.history}
        query={query}
        rows={query.data?.changes}
        keyOf={(change) => JSON.stringify(change)}
        columns={[
          { name: texts.at, cell: ({ at }) => <Time value={at} /> },
          { name: texts.what, cell: subjectOf },
          { name: texts.from, cell: ({ from }) => stateOf(from) },
          { name: texts.to, cell: ({ to }) => stateOf(to) },
          { name: texts.source, cell: ({ source }) => sources[source] ?? source },
          {
            name: texts.evidence,
            cell: ({ evidence }: ConsentChange) =>
              evidence && <ForeignText text={Object.values(evidence).join(' · ')} />,
          },
        ]}
        empty={<p>{texts.noHistory}</p>}
      />
    </Section>
  );
}
