import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { contactResult, nameOf } from '../../api/contact.ts';
import { useToolCall } from '../../api/tools.ts';
import { usePagedTool } from '../../api/use-paged-tool.ts';
import { contactsTexts } from '../../texts/contacts.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { segmentsTexts } from '../../texts/segments.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { TextField } from '../../ui/field.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Section } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/state.tsx';
import { PagedTable } from '../../ui/table.tsx';
import { contactPage } from './contact.readers.ts';
import styles from './contacts.module.css';
import {
  SEGMENT_TOOLS,
  type Segment,
  addedToSegment,
  removedFromSegment,
} from './segment.readers.ts';

const ROWS = 50;

/** Lists the contacts of a segment. A person can add contacts to a static segment and remove them. */
export function SegmentContacts({ segment }: { segment: Segment }) {
  const texts = useTexts(segmentsTexts);
  const { unnamed, email, name } = useTexts(contactsTexts);
  const given = { segment_id: segment.id, limit: ROWS };
  const query = usePagedTool('list_segment_contacts', given, contactPage);
  const remove = useToolCall('remove_from_segment', removedFromSegment, SEGMENT_TOOLS);
  const isStatic = segment.kind === 'static';
  return (
    <Section title={texts.contacts}>
      {isStatic && <AddContact segmentId={segment.id} />}
      {remove.error && <ErrorPanel error={remove.error} />}
      <PagedTable
        label={texts.contacts}
        query={query}
        rows={query.data?.contacts}
        keyOf={({ id }) => id}
        columns={[
          {
            name,
            cell: (person) => (
              <Link to="/contacts/$contactId" params={{ contactId: person.id }}>
                <ForeignText text={nameOf(person) ?? unnamed} />
              </Link>
            ),
          },
          { name: email, cell: (person) => person.email },
          ...(isStatic
            ? [
                {
                  name: texts.removeContact,
                  cell: (person: { id: string; email: string | null }) => (
                    <Button
                      size="small"
                      onClick={() =>
                        remove.mutate({ segment_id: segment.id, contact_ids: [person.id] })
                      }
                    >
                      {texts.removeContact}
                      <span className="hidden-visually"> {person.email}</span>
                    </Button>
                  ),
                },
              ]
            : []),
        ]}
        empty={<EmptyState title={texts.empty}>{texts.emptyAbout}</EmptyState>}
      />
    </Section>
  );
}

function AddContact({ segmentId }: { segmentId: string }) {
  const texts = useTexts(segmentsTexts);
  const find = useToolCall('get_contact', contactResult);
  const add = useToolCall('add_to_segment', addedToSegment, SEGMENT_TOOLS);
  const [address, setAddress] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    find.mutate(
      { email: address.trim() },
      {
        onSuccess: ({ contact }) =>
          add.mutate(
            { segment_id: segmentId, contact_ids: [contact.id] },
            { onSuccess: () => setAddress('') },
          ),
      },
    );
  };
  const error = find.error ?? add.error;
  return (
    <form className={styles.search} onSubmit={submit}>
      <TextField
        type="email"
        label={texts.address}
        value={address}
        isRequired
        onChange={setAddress}
      />
      <Button type="submit" isBusy={find.isPending || add.isPending}>
        {texts.addContact}
      </Button>
      {error && <ErrorPanel error={error} />}
    </form>
  );
}
