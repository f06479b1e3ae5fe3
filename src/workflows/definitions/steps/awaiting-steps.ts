import type { EventName } from '../../../events/domain-events.js';
import type { Step } from '../definition.js';
import { type Iteration, iterationPath } from '../step-engine.js';
import { isEventWait, isResumable } from './event-wait-step.js';
import { isRunWorkflow } from './run-workflow-step.js';
import { everyStep, innerListsOf } from './step-kinds.js';

/** Returns true when runs of these steps can wait for something other than a time. */
export function canAwaitEvents(steps: readonly Step[]): boolean {
  return everyStep(steps).some((step) => isEventWait(step) || isRunWorkflow(step));
}

/** Returns the domain events that runs of these steps can wait for, each once. */
export function awaitedEvents(steps: readonly Step[]): EventName[] {
  const events = everyStep(steps)
    .filter(isEventWait)
    .flatMap(({ wait_for_event: { event, events = [] } }) => [
      ...(event ? [event] : []),
      ...events,
    ]);
  return [...new Set(events)].filter((event) => event !== 'resume');
}

/**
 * Returns the ids and journal paths of steps with a resume URL. Steps in loops count only in the given `iterations`.
 */
export function resumablePaths(
  steps: readonly Step[],
  iterations: readonly Iteration[],
  prefix = '',
): [id: string, path: string][] {
  return steps.flatMap((step): [string, string][] => {
    const onError = Array.isArray(step.on_error) ? step.on_error : [];
    return [
      ...(isResumable(step) ? [[step.id, prefix + step.id] as [string, string]] : []),
      ...resumablePaths(onError, iterations, prefix),
      ...innerPaths(step, iterations, prefix),
    ];
  });
}

function innerPaths(
  step: Step,
  iterations: readonly Iteration[],
  prefix: string,
): [string, string][] {
  const iteration = iterations.find(({ loop }) => loop.step === step);
  if ('for_each' in step && !iteration) return [];
  const innerPrefix = iteration ? `${iterationPath(iteration)}.` : prefix;
  return innerListsOf(step)
    .filter(({ member }) => !iteration || (member === 'pages') === (iteration.isPage ?? false))
    .flatMap(({ steps }) => resumablePaths(steps, iterations, innerPrefix));
}
