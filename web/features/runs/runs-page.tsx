import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { usePagedTool } from '../../api/use-paged-tool.ts';
import { useWorkflowNames } from '../../api/use-workflow-names.ts';
import { useTexts } from '../../texts/language.tsx';
import { runReasonsTexts } from '../../texts/run-reasons.texts.ts';
import { runsTexts } from '../../texts/runs.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/state.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { PagedTable } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { BulkMenu } from './bulk-menu.tsx';
import { RunDuration } from './run-duration.tsx';
import { RunFilterBar } from './run-filter-bar.tsx';
import { type RunFilters, readTrigger } from './run-filters.ts';
import { describeReason } from './run-reason.ts';
import { runPage } from './run.readers.ts';

const ROWS = 50;

/** Shows runs, newest first. The filters are in the address of the page. */
export function RunsPage() {
  const texts = useTexts(runsTexts);
  const reasons = useTexts(runReasonsTexts);
  const filters = useSearch({ from: '/signed-in/runs' });
  const navigate = useNavigate();
  const query = usePagedTool('list_runs', { ...filters, limit: ROWS }, runPage);
  const shown = query.data?.runs.map((run) => run.workflow_id) ?? [];
  const names = useWorkflowNames([...shown, filters.workflow_id]);
  const choose = (search: RunFilters): void => void navigate({ to: '/runs', search });
  const isFiltered = Object.keys(filters).length > 0;
  const trigger = (type: string): string => {
    const known = readTrigger(type);
    return known ? texts.triggers[known] : type;
  };
  return (
    <Page
      title={texts.title}
      about={texts.about}
      actions={
        <>
          <Button onClick={() => void query.refetch()} isBusy={query.isFetching}>
            {texts.refresh}
          </Button>
          <BulkMenu filters={filters} />
        </>
      }
    >
      <RunFilterBar
        filters={filters}
        workflows={names}
        reasons={query.data?.runs.flatMap(({ reason }) => reason ?? []) ?? []}
        onChange={choose}
      />
      <PagedTable
        label={texts.title}
        query={query}
        rows={query.data?.runs}
        keyOf={({ id }) => id}
        isLinked
        columns={[
          {
            name: texts.workflow,
            cell: (run) => (
              <Link to="/runs/$runId" params={{ runId: run.id }}>
                <ForeignText text={names.get(run.workflow_id) ?? run.workflow_id} />
              </Link>
            ),
          },
          { name: texts.status, cell: ({ status }) => <StatusBadge status={status} /> },
          {
            name: texts.reason,
            cell: ({ reason }) => reason !== null && describeReason(reason, reasons),
          },
          { name: texts.trigger, cell: (run) => trigger(run.trigger.type) },
          { name: texts.duration, cell: (run) => <RunDuration of={run} /> },
          { name: texts.created, cell: ({ created_at: at }) => <Time value={at} /> },
        ]}
        empty={
          isFiltered ? (
            <EmptyState
              title={texts.noMatch}
              actions={<Button onClick={() => choose({})}>{texts.filter.clear}</Button>}
            >
              {texts.noMatchAbout}
            </EmptyState>
          ) : (
            <EmptyState title={texts.none}>{texts.noneAbout}</EmptyState>
          )
        }
      />
    </Page>
  );
}
