import { Link, useParams } from '@tanstack/react-router';
import {
  type ContactImport,
  importResult,
  rejectedRowsPath,
  useImport,
} from '../../api/imports.ts';
import { useToolCall } from '../../api/tools.ts';
import { useFormats } from '../../texts/format.ts';
import { importsTexts } from '../../texts/imports.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Facts, Page, Section, backClass } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { UnloadedPage } from '../../ui/unloaded-page.tsx';
import { ImportForm } from './import-form.tsx';
import { ImportStatus } from './import-status.tsx';

const COUNTS = ['created', 'updated', 'unchanged', 'skipped', 'duplicate', 'failed'] as const;
/** An import in one of these states can be started. */
const STARTABLE: readonly string[] = ['uploaded', 'checked', 'failed', 'canceled'];
const CANCELABLE: readonly string[] = ['uploaded', 'running', 'checked'];

/** Shows an import: its columns, its progress and the results of its rows. */
export function ImportPage() {
  const { importId } = useParams({ from: '/signed-in/contacts/imports/$importId' });
  return <OneImport key={importId} importId={importId} />;
}

function OneImport({ importId }: { importId: string }) {
  const texts = useTexts(importsTexts);
  const formats = useFormats();
  const query = useImport(importId);
  const cancel = useToolCall('cancel_import', importResult, ['get_import', 'list_imports']);
  const back = (
    <Link to="/contacts/imports" className={backClass}>
      <Icon name="chevronLeft" />
      {texts.all}
    </Link>
  );
  const job = query.data?.import;
  if (!job) return <UnloadedPage title={texts.title} back={back} query={query} />;
  return (
    <Page
      title={job.name}
      back={back}
      actions={
        CANCELABLE.includes(job.status) && (
          <Button isBusy={cancel.isPending} onClick={() => cancel.mutate({ import_id: importId })}>
            {texts.cancel}
          </Button>
        )
      }
    >
      {cancel.error && <ErrorPanel error={cancel.error} />}
      <Facts
        facts={[
          [texts.status, <ImportStatus key="status" status={job.status} />],
          [texts.reason, job.error],
          [
            texts.rows,
            job.status === 'running'
              ? texts.progress(formats.number(job.processed), formats.number(job.rows))
              : formats.number(job.rows),
          ],
          [texts.encoding, job.encoding],
          [texts.delimiter, job.delimiter === '\t' ? texts.tab : job.delimiter],
        ]}
      />
      {job.status === 'running' && (
        <progress aria-label={texts.title} value={job.processed} max={Math.max(1, job.rows)} />
      )}
      {job.processed > 0 && <Result job={job} />}
      {STARTABLE.includes(job.status) && <ImportForm key={job.status} job={job} />}
    </Page>
  );
}

function Result({ job }: { job: ContactImport }) {
  const texts = useTexts(importsTexts);
  const formats = useFormats();
  const { counts } = job;
  const hasRejected = counts.failed + counts.duplicate > 0;
  return (
    <Section title={texts.result} about={job.check_only ? texts.checkedAbout : undefined}>
      <Facts facts={COUNTS.map((name) => [texts.counts[name], formats.number(counts[name])])} />
      {hasRejected && (
        <>
          <Table
            label={texts.firstRejected}
            rows={job.rejected}
            keyOf={({ row }) => String(row)}
            columns={[
              { name: texts.row, cell: ({ row }) => formats.number(row) },
              { name: texts.faults, cell: ({ reasons }) => reasons },
            ]}
          />
          <p>
            <a href={rejectedRowsPath(job.id)} className={buttonClass()} download>
              {texts.rejected}
            </a>
          </p>
        </>
      )}
    </Section>
  );
}
