import { useFormats } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { runsTexts } from '../../texts/runs.texts.ts';
import { Disclosure } from '../../ui/disclosure.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { PagerBar } from '../../ui/pager.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { TextViewer } from '../../ui/text-viewer.tsx';
import { Time } from '../../ui/time.tsx';
import { type Answers, usePages } from '../../ui/use-pages.ts';
import { RunDuration } from './run-duration.tsx';
import { LoopProgress } from './loop-progress.tsx';
import { RunValue } from './run-value.tsx';
import { type Run, type RunStep, errorMessage, fileOf } from './run.readers.ts';
import { StepWait } from './step-wait.tsx';
import { useErrorWords } from './use-error-words.ts';
import styles from './runs.module.css';

/** The largest number of steps on one page of the list. The service returns up to 300 steps in one answer. */
const ROWS = 50;
const MOST_MESSAGE = 1000;
/** The id of the generated failure step. The steps of `on_failure` come after this step. */
const FAILURE_STEP = 'workflow.on_failure';
/** The id of the entry that fails when the run takes longer than its timeout. */
const TIMEOUT_STEP = 'workflow.timeout';

/**
 * Shows the steps of a run in order of execution, in parts. Steps inside loops and branches have their path as id. Use
 * a new instance for another run.
 */
export function RunSteps({ run, answers }: { run: Run; answers: Answers }) {
  const texts = useTexts(runsTexts);
  const { rows, pager } = usePages(run.steps, ROWS, answers);
  if (rows.length === 0) return <p className={styles.soft}>{texts.noSteps}</p>;
  return (
    <>
      <ol className={styles.timeline}>
        {rows.map((step) => (
          <li key={step.id} data-status={step.status}>
            <StepEntry runId={run.id} step={step} />
          </li>
        ))}
      </ol>
      {pager && <PagerBar pager={pager} />}
    </>
  );
}

function StepEntry({ runId, step }: { runId: string; step: RunStep }) {
  const texts = useTexts(runsTexts).step;
  const formats = useFormats();
  const message = errorMessage(step.error, useErrorWords());
  const file = fileOf(step);
  return (
    <>
      <div className={styles.stepHead}>
        <strong>
          <ForeignText text={step.id} />
        </strong>
        {step.tool !== null && <code>{step.tool}</code>}
        {step.id === FAILURE_STEP && <span>{texts.onFailure}</span>}
        {step.id === TIMEOUT_STEP && <span>{texts.timeout}</span>}
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
      <StepWait step={step} />
      {message !== undefined && (
        <p className={styles.error}>
          <ForeignText text={message} most={MOST_MESSAGE} />
        </p>
      )}
      {file && (
        <p>
          <a href={`/api/files/${encodeURIComponent(file.id)}`} download>
            {texts.saveFile}: <ForeignText text={file.name} />
          </a>{' '}
          <span className={styles.soft}>{formats.bytes(file.size)}</span>
        </p>
      )}
      {step.progress && <LoopProgress id={step.id} progress={step.progress} />}
      <StepValues runId={runId} step={step} />
    </>
  );
}

function StepValues({ runId, step }: { runId: string; step: RunStep }) {
  const texts = useTexts(runsTexts).step;
  const words = useErrorWords();
  const hasInput = step.input !== null || step.cut?.input !== undefined;
  const hasOutput = step.output !== null || step.cut?.output !== undefined;
  const hasError = step.error !== null;
  // The failure of the last attempt of a failed step is shown as its error.
  const earlier =
    step.status === 'failed' ? step.failed_attempts.slice(0, -1) : step.failed_attempts;
  if (!hasInput && !hasOutput && !hasError && earlier.length === 0) return null;
  return (
    <Disclosure
      // A step that fails while the page is open is expanded automatically.
      key={step.status === 'failed' ? 'failed' : 'other'}
      isOpen={step.status === 'failed'}
      summaryClass={styles.summary}
      summary={
        <>
          {texts.details}
          <span className="hidden-visually">: {step.id}</span>
        </>
      }
    >
      <div className={styles.values}>
        {earlier.map((attempt, index) => (
          <p key={index}>
            {texts.failedAttempt(attempt.attempt)} <Time value={attempt.failed_at} isExact />
            {': '}
            <span className={styles.error}>
              <ForeignText text={errorMessage(attempt.error, words) ?? ''} most={MOST_MESSAGE} />
            </span>
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
    </Disclosure>
  );
}
