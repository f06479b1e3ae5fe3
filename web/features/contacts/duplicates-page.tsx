import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { usePagedTool } from '../../api/use-paged-tool.ts';
import { contactIdentityTexts } from '../../texts/contact-identity.texts.ts';
import { contactsTexts } from '../../texts/contacts.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page, backClass } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/state.tsx';
import { PagedTable } from '../../ui/table.tsx';
import { DUPLICATE_REASONS, readReason } from './duplicate-reasons.ts';
import { duplicatePage } from './identity.readers.ts';
import { MergeDialog } from './merge-dialog.tsx';

const ROWS = 50;

/** Shows pairs of contacts that may be one person. */
export function DuplicatesPage() {
  const { duplicates: texts } = useTexts(contactIdentityTexts);
  const { all } = useTexts(contactsTexts);
  const { reason } = useSearch({ from: '/signed-in/contacts/duplicates' });
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<[string, string]>();
  const given = { limit: ROWS, ...(reason && { reason }) };
  const query = usePagedTool('find_duplicates', given, duplicatePage);
  const person = (id: string, name: string | null, address: string | null) => (
    <>
      <Link to="/contacts/$contactId" params={{ contactId: id }}>
        <ForeignText text={name ?? texts.unnamed} />
      </Link>
      {address !== null && address !== name && (
        <div>
          <ForeignText text={address} />
        </div>
      )}
    </>
  );
  return (
    <Page
      title={texts.title}
      about={texts.about}
      back={
        <Link to="/contacts" className={backClass}>
          <Icon name="chevronLeft" />
          {all}
        </Link>
      }
    >
      <SelectField
        label={texts.reason}
        value={reason ?? ''}
        options={[
          { value: '', label: texts.any },
          ...DUPLICATE_REASONS.map((value) => ({ value, label: texts.reasons[value] })),
        ]}
        onChange={(value) => {
          const next = readReason(value);
          void navigate({ to: '/contacts/duplicates', search: next ? { reason: next } : {} });
        }}
      />
      <PagedTable
        label={texts.title}
        query={query}
        rows={query.data?.duplicates}
        keyOf={({ reason: why, shared, other_id: other }) => `${why} ${shared} ${other}`}
        columns={[
          { name: texts.older, cell: (pair) => person(pair.contact_id, pair.name, pair.address) },
          {
            name: texts.other,
            cell: (pair) => person(pair.other_id, pair.other_name, pair.other_address),
          },
          {
            name: texts.reason,
            cell: (pair) => {
              const why = readReason(pair.reason);
              return why ? texts.reasons[why] : pair.reason;
            },
          },
          { name: texts.shared, cell: ({ shared }) => shared },
          {
            name: texts.actions,
            cell: (pair) => (
              <Button size="small" onClick={() => setChosen([pair.contact_id, pair.other_id])}>
                {texts.merge}
                <span className="hidden-visually"> {pair.shared}</span>
              </Button>
            ),
          },
        ]}
        empty={<EmptyState title={texts.none}>{texts.noneAbout}</EmptyState>}
      />
      {chosen && <MergeDialog ids={chosen} onClose={() => setChosen(undefined)} />}
    </Page>
  );
}
