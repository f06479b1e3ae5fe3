import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { usePagedTool } from '../../api/use-paged-tool.ts';
import { auditTexts } from '../../texts/audit.texts.ts';
import { useFormats } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { OutcomeBadge } from '../../ui/outcome-badge.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/state.tsx';
import { PagedTable, RowButton } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { AuditEntryDialog } from './audit-entry-dialog.tsx';
import { AuditFilterBar } from './audit-filter-bar.tsx';
import { type AuditFilters, toArguments } from './audit-filters.ts';
import { type AuditEntry, auditPage } from './audit.readers.ts';
import { type ExportFormat, exportAuditLog } from './export-audit-log.ts';

const ROWS = 50;

/** Shows who changed what. The filters are in the address of the page, and also apply to an export. */
export function AuditLogPage() {
  const texts = useTexts(auditTexts);
  const kinds: Readonly<Record<string, string>> = texts.kinds;
  const filters = useSearch({ from: '/signed-in/settings/audit' });
  const navigate = useNavigate();
  const [opened, setOpened] = useState<AuditEntry>();
  const query = usePagedTool('list_audit_log', { ...toArguments(filters), limit: ROWS }, auditPage);
  const apply = (search: AuditFilters): void => void navigate({ to: '/settings/audit', search });
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page title={texts.title} about={texts.about}>
      <AuditFilterBar key={JSON.stringify(filters)} filters={filters} onApply={apply} />
      <PagedTable
        label={texts.title}
        query={query}
        rows={query.data?.entries}
        keyOf={({ id }) => id}
        isLinked
        columns={[
          {
            name: texts.action,
            cell: (entry) => <RowButton onClick={() => setOpened(entry)}>{entry.action}</RowButton>,
          },
          { name: texts.outcome, cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
          {
            name: texts.who,
            cell: ({ caller_kind: kind, caller_id: id }) => `${kinds[kind] ?? kind} ${id}`,
          },
          { name: texts.changed, cell: ({ subject }) => subject },
          { name: texts.time, cell: ({ at }) => <Time value={at} /> },
        ]}
        empty={
          isFiltered ? (
            <EmptyState
              title={texts.noMatch}
              actions={<Button onClick={() => apply({})}>{texts.clear}</Button>}
            >
              {texts.noMatchAbout}
            </EmptyState>
          ) : (
            <EmptyState title={texts.none}>{texts.noneAbout}</EmptyState>
          )
        }
      />
      <ExportButtons filters={filters} />
      {opened && <AuditEntryDialog entry={opened} onClose={() => setOpened(undefined)} />}
    </Page>
  );
}

function ExportButtons({ filters }: { filters: AuditFilters }) {
  const texts = useTexts(auditTexts);
  const formats = useFormats();
  const toast = useToast();
  const [count, setCount] = useState(0);
  const call = useMutation<number, Error, ExportFormat>({
    mutationFn: (format) => exportAuditLog(filters, format, setCount),
    onSuccess: (all) => toast(texts.exported(formats.number(all))),
  });
  const start = (format: ExportFormat): void => {
    setCount(0);
    call.mutate(format);
  };
  return (
    <div>
      <Button isBusy={call.isPending} onClick={() => start('csv')}>
        {texts.exportCsv}
      </Button>{' '}
      <Button isBusy={call.isPending} onClick={() => start('json_lines')}>
        {texts.exportJson}
      </Button>
      <p role="status">{call.isPending && texts.exporting(formats.number(count))}</p>
      {call.error && <ErrorPanel error={call.error} />}
    </div>
  );
}
