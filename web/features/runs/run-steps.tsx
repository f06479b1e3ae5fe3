import { useTexts } from '../../texts/language.tsx';
import { runsTexts } from '../../texts/runs.texts.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { TextViewer } from '../../ui/text-viewer.tsx';
import { Time } from '../../ui/time.tsx';
import { RunDuration } from './run-duration.tsx';
import { RunValue } from './run-value.tsx';
import { type Run, type RunStep, errorMessage, waitsUntil } from './run.readers.ts';
import styles from './runs.module.css';

/**
 * Shows the steps of a run in order of execution. Steps inside loops and branches have the path of their place as id.
 */
export function RunSteps({ run }: { run: Run }) {
  const texts = useTexts(runsTexts);
  if (run.steps.length === 0) return <p className={styles.soft}>{texts.noSteps}</p>;
  return (
    <ol className={styles.timeline}>
      {run.steps.map((step) => (
        <li key={step.id} data-status={step.status}>
          <StepEntry runId={run.id} step={step} />
        </li>
      ))}
    </ol>
  );
}

function StepEntry({ runId, step }: { runId: string; step: RunStep }) {
  const texts = useTexts(runsTexts).step;
  const until = waitsUntil(step);
  const message = errorMessage(step.error);
  return (
    <>
      <div className={styles.stepHead}>
        <strong>{step.id}</strong>
        {step.tool !== null && <code>{step.tool}</code>}
        <StatusBadge status={step.status} />
        {step.attempts > 1 && <span>{texts.attempts(step.attempts)}</span>}
        <span className={styles.soft}>
          <RunDuration of={step} />
        </span>
        {step.started_at !== null && (
          <span className={styles.soft}>
            <Time value={step.started_at} />
          </span>
        )}
      </div>
      {until !== undefined && (
        <p>
          {texts.waitsUntil} <Time value={until} isExact />
        </p>
      )}
      {message !== undefined && <p className={styles.error}>{message}</p>}
      <StepValues runId={runId} step={step} />
    </>
  );
}

function StepValues({ runId, step }: { runId: string; step: RunStep }) {
  const texts = useTexts(runsTexts).step;
  const hasInput = step.input !== null || step.cut?.input !== undefined;
  const hasOutput = step.output !== null || step.cut?.output !== undefined;
  const hasError = step.error !== null;
  // The last failure of a failed step is its error.
  const earlier =
    step.status === 'failed' ? step.failed_attempts.slice(0, -1) : step.failed_attempts;
  if (!hasInput && !hasOutput && !hasError && earlier.length === 0) return null;
  return (
    <details open={step.status === 'failed' || undefined}>
      <summary className={styles.summary}>
        {texts.details}
        <span className="hidden-visually">: {step.id}</span>
      </summary>
      <div className={styles.values}>
        {earlier.map((attempt, index) => (
          <p key={index}>
            {texts.failedAttempt(attempt.attempt)} <Time value={attempt.failed_at} isExact />
            {': '}
            <span className={styles.error}>{errorMessage(attempt.error)}</span>
          </p>
        ))}
        {hasInput && (
          <RunValue
            title={`${texts.input}: ${step.id}`}
            value={step.input}
            cut={step.cut?.input}
            place={{ runId, stepId: step.id, value: 'input' }}
          />
        )}
        {hasOutput && (
          <RunValue
            title={`${texts.output}: ${step.id}`}
            value={step.output}
            cut={step.cut?.output}
            place={{ runId, stepId: step.id, value: 'output' }}
          />
        )}
        {hasError && <TextViewer title={`${texts.error}: ${step.id}`} value={step.error} />}
      </div>
    </details>
  );
}
