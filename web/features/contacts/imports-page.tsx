import { Link, useNavigate } from '@tanstack/react-router';
import { useId } from 'react';
import { nextCursor } from '../../api/page-readers.ts';
import { CONTACTS_PATH, importOutline, useUpload } from '../../api/imports.ts';
import { list, record } from '../../api/reader.ts';
import { usePagedTool } from '../../api/use-paged-tool.ts';
import { contactsTexts } from '../../texts/contacts.texts.ts';
import { useFormats } from '../../texts/format.ts';
import { importsTexts } from '../../texts/imports.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Field } from '../../ui/field.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page, backClass } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/state.tsx';
import { PagedTable } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { ImportStatus } from './import-status.tsx';

const ROWS = 50;
const importPage = record({ imports: list(importOutline), next_cursor: nextCursor });

/** Uploads a file with contacts, and lists earlier imports. */
export function ImportsPage() {
  const texts = useTexts(importsTexts);
  const { all } = useTexts(contactsTexts);
  const formats = useFormats();
  const navigate = useNavigate();
  const upload = useUpload();
  const statusId = useId();
  const query = usePagedTool('list_imports', { limit: ROWS }, importPage);
  const send = (file: File): void =>
    upload.mutate(file, {
      onSuccess: ({ import: { id } }) =>
        void navigate({ to: '/contacts/imports/$importId', params: { importId: id } }),
    });
  return (
    <Page
      title={texts.title}
      about={texts.about}
      actions={
        <a href={CONTACTS_PATH} className={buttonClass()} download>
          {texts.export}
        </a>
      }
      back={
        <Link to="/contacts" className={backClass}>
          <Icon name="chevronLeft" />
          {all}
        </Link>
      }
    >
      <Field label={texts.file} description={texts.fileAbout}>
        {(control) => (
          <input
            {...control}
            type="file"
            accept=".csv,.tsv,.txt,text/csv"
            disabled={upload.isPending}
            onChange={({ target }) => {
              const file = target.files?.[0];
              if (file) send(file);
              // If the value of the file field were not cleared, a person who has corrected a file could not choose
              // this file again.
              target.value = '';
            }}
          />
        )}
      </Field>
      <div role="status" id={statusId}>
        {upload.isPending && texts.uploading}
      </div>
      {upload.error && <ErrorPanel error={upload.error} />}
      <PagedTable
        label={texts.list}
        query={query}
        rows={query.data?.imports}
        keyOf={({ id }) => id}
        isLinked
        columns={[
          {
            name: texts.name,
            cell: ({ id, name }) => (
              <Link to="/contacts/imports/$importId" params={{ importId: id }}>
                <ForeignText text={name} />
              </Link>
            ),
          },
          { name: texts.status, cell: ({ status }) => <ImportStatus status={status} /> },
          { name: texts.rows, cell: ({ rows }) => formats.number(rows) },
          {
            name: texts.rejectedRows,
            cell: ({ counts: { duplicate, failed } }) => formats.number(duplicate + failed),
          },
          { name: texts.created, cell: ({ created_at: at }) => <Time value={at} /> },
        ]}
        empty={<EmptyState title={texts.none}>{texts.noneAbout}</EmptyState>}
      />
    </Page>
  );
}
