import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { nameOf } from '../../api/contact.ts';
import { usePagedTool } from '../../api/use-paged-tool.ts';
import { contactIdentityTexts } from '../../texts/contact-identity.texts.ts';
import { contactsTexts } from '../../texts/contacts.texts.ts';
import { importsTexts } from '../../texts/imports.texts.ts';
import { segmentsTexts } from '../../texts/segments.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/state.tsx';
import { PagedTable } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { ContactDialog } from './contact-dialog.tsx';
import { contactPage } from './contact.readers.ts';
import { type ContactFilter, readFilters } from './contact-filters.ts';
import styles from './contacts.module.css';
import { FilterBuilder } from './filter-builder.tsx';
import { SegmentDialog } from './segment-dialog.tsx';
import { Tags } from './tags.tsx';

const ROWS = 50;

/** Shows the contacts that match a search and conditions. Both are in the address of the page. */
export function ContactsPage() {
  const texts = useTexts(contactsTexts);
  const { duplicates } = useTexts(contactIdentityTexts);
  const imports = useTexts(importsTexts);
  const segments = useTexts(segmentsTexts);
  const search = useSearch({ from: '/signed-in/contacts' });
  const filters = readFilters(search.filters);
  const navigate = useNavigate();
  const toast = useToast();
  const [isAdding, setAdding] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const query = usePagedTool(
    'search_contacts',
    { query: search.q, limit: ROWS, ...(filters.length > 0 && { filters }) },
    contactPage,
  );
  const go = (q: string | undefined, next: readonly ContactFilter[]): void =>
    void navigate({
      to: '/contacts',
      search: { ...(q && { q }), ...(next.length > 0 && { filters: [...next] }) },
    });
  const isFiltered = search.q !== undefined || filters.length > 0;
  const address = JSON.stringify(search);
  const actions = (
    <>
      <Link to="/contacts/segments" className={buttonClass()}>
        {segments.title}
      </Link>
      <Link to="/contacts/imports" className={buttonClass()}>
        {imports.title}
      </Link>
      <Link to="/contacts/duplicates" className={buttonClass()}>
        {duplicates.title}
      </Link>
      <Link to="/contacts/properties" className={buttonClass()}>
        {texts.properties}
      </Link>
      <Button look="primary" onClick={() => setAdding(true)}>
        {texts.add}
      </Button>
    </>
  );
  return (
    <Page title={texts.title} about={texts.about} actions={actions}>
      <SearchForm key={`q${address}`} typed={search.q ?? ''} onSearch={(q) => go(q, filters)} />
      <FilterBuilder key={`f${address}`} filters={filters} onApply={(next) => go(search.q, next)} />
      {filters.length > 0 && search.q === undefined && (
        <div className={styles.row}>
          <Button size="small" onClick={() => setSaving(true)}>
            {segments.saveAs}
          </Button>
        </div>
      )}
      <PagedTable
        label={texts.title}
        query={query}
        rows={query.data?.contacts}
        keyOf={({ id }) => id}
        isLinked
        columns={[
          {
            name: texts.name,
            cell: (person) => (
              <Link to="/contacts/$contactId" params={{ contactId: person.id }}>
                <ForeignText text={nameOf(person) ?? texts.unnamed} />
              </Link>
            ),
          },
          { name: texts.email, cell: ({ email }) => email },
          { name: texts.phone, cell: ({ phone }) => phone },
          { name: texts.tags, cell: ({ tags }) => <Tags tags={tags} /> },
          { name: texts.created, cell: ({ created_at: at }) => <Time value={at} /> },
        ]}
        empty={
          isFiltered ? (
            <EmptyState
              title={texts.nobody}
              actions={<Button onClick={() => go(undefined, [])}>{texts.clear}</Button>}
            >
              {texts.nobodyAbout}
            </EmptyState>
          ) : (
            <EmptyState title={texts.empty}>{texts.emptyAbout}</EmptyState>
          )
        }
      />
      {isSaving && (
        <SegmentDialog
          filters={filters}
          onClose={() => setSaving(false)}
          onDone={({ id }) => {
            toast(segments.wasCreated);
            void navigate({ to: '/contacts/segments/$segmentId', params: { segmentId: id } });
          }}
        />
      )}
      {isAdding && (
        <ContactDialog
          title={texts.add}
          action={texts.add}
          tool="create_contact"
          hidden={['on_conflict']}
          toArguments={(given) => given}
          onClose={() => setAdding(false)}
          onDone={(person) => {
            setAdding(false);
            toast(texts.added);
            if (person) {
              void navigate({ to: '/contacts/$contactId', params: { contactId: person.id } });
            }
          }}
        />
      )}
    </Page>
  );
}

function SearchForm({ typed, onSearch }: { typed: string; onSearch: (text: string) => void }) {
  const texts = useTexts(contactsTexts);
  const [text, setText] = useState(typed);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSearch(text.trim());
  };
  return (
    <form role="search" className={styles.search} onSubmit={submit}>
      <TextField
        type="search"
        label={texts.search}
        placeholder={texts.searchAbout}
        value={text}
        onChange={setText}
      />
      <Button type="submit">{texts.search}</Button>
    </form>
  );
}
