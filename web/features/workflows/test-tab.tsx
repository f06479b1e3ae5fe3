import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isObject } from '../../api/reader.ts';
import { useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { workflowsTexts } from '../../texts/workflows.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { TextAreaField } from '../../ui/field.tsx';
import { PagerBar } from '../../ui/pager.tsx';
import { usePages } from '../../ui/use-pages.ts';
import { type DryRun, type Workflow, dryRunResult, startedRun } from './workflow.readers.ts';
import styles from './workflows.module.css';

const ROWS = 8;
const EFFECTS = 50;

/** Starts the saved workflow with a payload, or checks in a dry run whether it can be started. */
export function TestTab({ workflow }: { workflow: Workflow }) {
  const texts = useTexts(workflowsTexts).test;
  const navigate = useNavigate();
  const [payload, setPayload] = useState('{\n  "email": "ada@example.com"\n}');
  const [fault, setFault] = useState<string>();
  const dry = useToolCall('trigger_workflow', dryRunResult);
  const start = useToolCall('trigger_workflow', startedRun, ['list_runs']);
  const run = (isDry: boolean): void => {
    const value = parse(payload);
    setFault(isObject(value) ? undefined : texts.notObject);
    if (!isObject(value)) return;
    dry.reset();
    start.reset();
    const given = { workflow_id: workflow.id, payload: value };
    if (isDry) dry.mutate({ ...given, dry_run: true });
    else {
      start.mutate(given, {
        onSuccess: ({ run_id: runId }) => void navigate({ to: '/runs/$runId', params: { runId } }),
      });
    }
  };
  return (
    <>
      {!workflow.active && <p>{texts.inactive}</p>}
      <TextAreaField
        label={texts.payload}
        description={texts.payloadAbout}
        fault={fault}
        isCode
        rows={ROWS}
        value={payload}
        onChange={setPayload}
      />
      <p className={styles.soft}>
        {texts.dryAbout} {texts.startAbout} {texts.unsaved}
      </p>
      <div className={styles.buttons}>
        <Button isBusy={dry.isPending} onClick={() => run(true)}>
          {texts.dry}
        </Button>
        <Button look="primary" isBusy={start.isPending} onClick={() => run(false)}>
          {texts.start}
        </Button>
      </div>
      {(dry.error ?? start.error) && <ErrorPanel error={dry.error ?? start.error} />}
      <div role="status">
        {dry.data && (
          <>
            <p>{texts.dryDone}</p>
            <Effects effects={dry.data.effects} />
            {dry.data.truncated && <p>{texts.dryTruncated}</p>}
          </>
        )}
      </div>
    </>
  );
}

function Effects({ effects }: { effects: DryRun['effects'] }) {
  const { rows, pager } = usePages(effects, EFFECTS);
  return (
    <>
      <ul className={styles.advice}>
        {rows.map(({ action, table }, index) => (
          <li key={index}>
            <code>
              {action} {table}
            </code>
          </li>
        ))}
      </ul>
      {pager && <PagerBar pager={pager} />}
    </>
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
