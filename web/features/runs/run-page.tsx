import { Link, useParams } from '@tanstack/react-router';
import { usePagedTool } from '../../api/use-paged-tool.ts';
import { useWorkflowNames } from '../../api/use-workflow-names.ts';
import { useTexts } from '../../texts/language.tsx';
import { runReasonsTexts } from '../../texts/run-reasons.texts.ts';
import { runsTexts } from '../../texts/runs.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { ContactLink } from '../../ui/contact-link.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Facts, Page, Section, backClass } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { TextViewer } from '../../ui/text-viewer.tsx';
import { Time } from '../../ui/time.tsx';
import { UnloadedPage } from '../../ui/unloaded-page.tsx';
import { RunActions } from './run-actions.tsx';
import { RunDuration } from './run-duration.tsx';
import { readTrigger } from './run-filters.ts';
import { describeReason } from './run-reason.ts';
import { RunSteps } from './run-steps.tsx';
import { RunValue } from './run-value.tsx';
import { type Run, runStepsResult } from './run.readers.ts';

/** Shows one run: its trigger, its steps, and the actions that are possible now. */
export function RunPage() {
  const texts = useTexts(runsTexts);
  const { runId } = useParams({ from: '/signed-in/runs/$runId' });
  const query = usePagedTool('get_run', { run_id: runId }, runStepsResult);
  const names = useWorkflowNames([query.data?.run.workflow_id]);
  const back = (
    <Link to="/runs" className={backClass}>
      <Icon name="chevronLeft" />
      {texts.all}
    </Link>
  );
  if (!query.data || query.data.run.id !== runId) {
    return <UnloadedPage key={runId} title={texts.run} back={back} query={query} />;
  }
  const { run, output } = query.data;
  const workflow = names.get(run.workflow_id);
  return (
    <Page
      title={texts.runOf(workflow ?? run.workflow_id)}
      back={back}
      actions={
        <>
          {run.finished_at === null && (
            <Button isBusy={query.isFetching} onClick={() => void query.refetch()}>
              {texts.refresh}
            </Button>
          )}
          <RunActions run={run} />
        </>
      }
    >
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      <RunFacts run={run} workflow={workflow} />
      {(run.trigger.payload !== undefined || run.trigger.payload_cut) && (
        <RunValue
          key={run.id}
          title={texts.payload}
          value={run.trigger.payload}
          cut={run.trigger.payload_cut}
          place={{ runId: run.id, value: 'payload' }}
        />
      )}
      <Request trigger={run.trigger} />
      {output !== undefined && <TextViewer title={texts.output} value={output} />}
      <Section title={texts.steps}>
        <RunSteps
          key={run.id}
          run={run}
          answers={{ pager: query.pager, isWaiting: query.isPlaceholderData }}
        />
      </Section>
    </Page>
  );
}

/** Shows the parts of the webhook request that steps can read. Shows nothing for a run without these parts. */
function Request({ trigger }: { trigger: Run['trigger'] }) {
  const texts = useTexts(runsTexts);
  const { method, headers, query, received_at } = trigger;
  if (method === undefined) return null;
  return <TextViewer title={texts.request} value={{ method, headers, query, received_at }} />;
}

/** Shows the facts of a run. A deleted workflow has no name and no page, so no link to it is shown. */
function RunFacts({ run, workflow }: { run: Run; workflow: string | undefined }) {
  const texts = useTexts(runsTexts);
  const reasons = useTexts(runReasonsTexts);
  const trigger = readTrigger(run.trigger.type);
  return (
    <Facts
      facts={[
        [texts.status, <StatusBadge key="status" status={run.status} />],
        [texts.reason, run.reason !== null && describeReason(run.reason, reasons)],
        [texts.trigger, trigger ? texts.triggers[trigger] : run.trigger.type],
        [
          texts.workflow,
          workflow !== undefined && (
            <Link to="/workflows/$workflowId" params={{ workflowId: run.workflow_id }}>
              <ForeignText text={workflow} />
            </Link>
          ),
        ],
        [texts.version, run.workflow_version],
        [texts.contact, run.contact_id && <ContactLink key="contact" contactId={run.contact_id} />],
        [
          texts.replayOf,
          run.replay_of && (
            <Link to="/runs/$runId" params={{ runId: run.replay_of }}>
              {run.replay_of}
            </Link>
          ),
        ],
        [texts.created, <Time key="created" value={run.created_at} isExact />],
        [texts.finished, run.finished_at && <Time value={run.finished_at} isExact />],
        [texts.duration, run.finished_at && <RunDuration of={run} />],
      ]}
    />
  );
}
