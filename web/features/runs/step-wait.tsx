import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useTexts } from '../../texts/language.tsx';
import { runReasonsTexts } from '../../texts/run-reasons.texts.ts';
import { runsTexts } from '../../texts/runs.texts.ts';
import { Time } from '../../ui/time.tsx';
import { type RunStep, waitOf } from './run.readers.ts';

/** The event of a step that waits for a call of its resume URL. */
const RESUME = 'resume';

/** Shows what a waiting step waits for, and until when. Shows nothing for a step that does not wait. */
export function StepWait({ step }: { step: RunStep }) {
  const { waitsUntil } = useTexts(runsTexts).step;
  const texts = useTexts(runReasonsTexts);
  const wait = waitOf(step);
  if (!wait) return null;
  const { events, runId, until } = wait;
  if (until === undefined) return <p>{texts.nextAttempt}</p>;
  const time = <Time value={until} isExact />;
  if (events.length === 0 && runId === undefined) {
    return (
      <p>
        {waitsUntil} {time}
      </p>
    );
  }
  return (
    <p>
      {texts.waitsFor}{' '}
      {events.map((event, index) => (
        <Fragment key={event}>
          {index > 0 && ` ${texts.or} `}
          {event === RESUME ? texts.resume : <code>{event}</code>}
        </Fragment>
      ))}
      {runId !== undefined && (
        <>
          {texts.anotherRun}{' '}
          <Link to="/runs/$runId" params={{ runId }}>
            {runId}
          </Link>
        </>
      )}{' '}
      {texts.until} {time}
    </p>
  );
}
