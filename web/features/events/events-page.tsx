import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { usePagedTool } from '../../api/use-paged-tool.ts';
import { eventsTexts } from '../../texts/events.texts.ts';
import { useFormats } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/state.tsx';
import { PagedTable } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { type EventFilters, eventPage, readEventFilters } from './event.readers.ts';

const ROWS = 50;
const MOST_DATA = 160;

/** Shows the emitted events with their effects. The filter is in the address of the page. */
export function EventsPage() {
  const texts = useTexts(eventsTexts);
  const formats = useFormats();
  const filters = useSearch({ from: '/signed-in/events' });
  const navigate = useNavigate();
  const query = usePagedTool('list_custom_events', { ...filters, limit: ROWS }, eventPage);
  const show = (search: EventFilters): void => void navigate({ to: '/events', search });
  return (
    <Page title={texts.title} about={texts.about}>
      <NameFilter key={filters.name} filters={filters} onChange={show} />
      <PagedTable
        label={texts.title}
        query={query}
        rows={query.data?.events}
        keyOf={({ id }) => id}
        columns={[
          { name: texts.name, cell: ({ name }) => <code>{name}</code> },
          { name: texts.emitted, cell: ({ emitted_at: at }) => <Time value={at} /> },
          {
            name: texts.data,
            cell: ({ data_preview: preview, data_bytes: bytes }) => (
              <>
                <ForeignText text={preview} most={MOST_DATA} />
                {preview.length < bytes && ` ${texts.bytes(formats.bytes(bytes))}`}
              </>
            ),
          },
          { name: texts.started, cell: ({ started_runs: runs }) => formats.number(runs) },
          { name: texts.continued, cell: ({ continued_runs: runs }) => formats.number(runs) },
          {
            name: texts.by,
            cell: ({ run_id: runId }) =>
              runId !== null && (
                <Link to="/runs/$runId" params={{ runId }}>
                  {runId}
                </Link>
              ),
          },
          {
            name: texts.contact,
            cell: ({ contact_id: contactId }) =>
              contactId !== null && (
                <Link to="/contacts/$contactId" params={{ contactId }}>
                  {contactId}
                </Link>
              ),
          },
        ]}
        empty={
          filters.name === undefined ? (
            <EmptyState title={texts.none}>{texts.noneAbout}</EmptyState>
          ) : (
            <EmptyState
              title={texts.noMatch}
              actions={<Button onClick={() => show({})}>{texts.showAll}</Button>}
            >
              {texts.noMatchAbout}
            </EmptyState>
          )
        }
      />
    </Page>
  );
}

function NameFilter({
  filters,
  onChange,
}: {
  filters: EventFilters;
  onChange: (filters: EventFilters) => void;
}) {
  const texts = useTexts(eventsTexts);
  const [name, setName] = useState(filters.name ?? '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onChange(readEventFilters({ name: name.trim() }));
  };
  return (
    <form onSubmit={submit}>
      <TextField label={texts.name} description={texts.nameAbout} value={name} onChange={setName} />
      <Button type="submit">{texts.apply}</Button>
    </form>
  );
}
