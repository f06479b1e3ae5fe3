import type { Step } from './definition.js';
import { isFailureStep } from './steps/failure-step.js';
import { isTimeoutStep } from './steps/timeout-step.js';
import type { JournalState, Lanes } from './steps/step-kind.js';
import { kindOf } from './steps/step-kinds.js';

/** The journal entries by their paths. */
export type Journal = Pick<ReadonlyMap<string, JournalState>, 'get'>;

/** An iteration of a loop, which decides the paths of its steps and the values of the loop variables. */
export interface Iteration {
  readonly loop: Place;
  readonly index: number;
  /** True when the steps read the page with this index. */
  readonly isPage?: true;
}

/** Returns the path of an iteration, such as `each[3]`, or `each:page[3]` for the steps that read a page. */
export function iterationPath({ loop, index, isPage }: Iteration): string {
  return `${loop.path}${isPage ? ':page' : ''}[${index}]`;
}

/** A step at one place of a run. `path` is the key of its journal entry, such as `each[3].send`. */
export interface Place<S extends Step = Step> {
  readonly step: S;
  readonly path: string;
  /** The loop iterations around the step, the outermost first. */
  readonly iterations: readonly Iteration[];
}

export interface Plan {
  /** The steps that can run now or are already running, in the order of the definition. */
  readonly ready: readonly Place[];
  /** The steps that wait and are not due yet. */
  readonly waiting: readonly Place[];
  /** The steps whose failure ends the run. The failure step runs before the end, if there is one. */
  readonly failed: readonly Place[];
  /** The end of the run. Absent while a step is running. `at` is the step that ends the run early. */
  readonly end?: { readonly status: 'succeeded' | 'failed'; readonly at?: Place };
  /** The paths of loop iterations that have become done. */
  readonly doneIterations: readonly string[];
  /** Maps the path of each open race to the index of the first list that is done. */
  readonly winners: ReadonlyMap<string, number>;
}

const TOP: ListPosition = { prefix: '', iterations: [] };

interface ListPosition {
  readonly prefix: string;
  readonly iterations: readonly Iteration[];
}

/**
 * Computes the next steps of a run from only the definition and the journal. So a worker that takes over a run
 * continues exactly where the journal ends. Journal entries of `doneIterations` are not read.
 */
export function planOf(
  steps: readonly Step[],
  journal: Journal,
  doneIterations: ReadonlySet<string> = new Set(),
  now = performance.now(),
): Plan {
  return new PlanBuilder(journal, doneIterations, now).build(steps);
}

/** Returns a plan in which only this step is ready, so that no other step begins. */
function onlyReady(place: Place, doneIterations: readonly string[]): Plan {
  return { ready: [place], waiting: [], failed: [], doneIterations, winners: new Map() };
}

class PlanBuilder {
  private readonly ready: Place[] = [];
  private readonly waiting: Place[] = [];
  private readonly failed: Place[] = [];
  private readonly stops: Place[] = [];
  private readonly newlyDone: string[] = [];
  private readonly winners = new Map<string, number>();

  constructor(
    private readonly journal: Journal,
    private readonly doneIterations: ReadonlySet<string>,
    private readonly now: number,
  ) {}

  build(steps: readonly Step[]): Plan {
    const failureStep = steps.find(isFailureStep);
    const timeoutStep = steps.find(isTimeoutStep);
    const main = steps.slice(timeoutStep ? 1 : 0, failureStep ? -1 : undefined);
    const timeout = timeoutStep && this.journal.get(timeoutStep.id);
    const isDone = this.addList(main, TOP);
    const isEnding = isDone || this.failed.length > 0 || this.stops.length > 0;
    if (timeoutStep) {
      const place = { step: timeoutStep, path: timeoutStep.id, iterations: [] };
      // When the timeout has ended the run, the failures of steps that were still running do not count.
      if (timeout?.status === 'failed') this.failed.splice(0, this.failed.length, place);
      else if (!timeout || (!isEnding && this.isDue(timeout)))
        return onlyReady(place, this.newlyDone);
      else if (!isEnding) this.waiting.push(place);
    }
    if (failureStep && this.failed.length > 0) return this.afterFailure(failureStep);
    const { ready, waiting, failed, newlyDone: doneIterations, winners } = this;
    // When one step fails while another step stops the run, the run fails.
    const at = failed[0] ?? this.stops[0];
    if (!isDone && !at) return { ready, waiting, failed, doneIterations, winners };
    const status = failed.length > 0 ? 'failed' : 'succeeded';
    return { ready: [], waiting: [], failed, end: { status, at }, doneIterations, winners };
  }

  /**
   * Plans the failure step and the steps inside it. When all of them have ended, or one of them has failed, the run
   * fails.
   */
  private afterFailure(failureStep: Step): Plan {
    const { failed } = this;
    const inner = new PlanBuilder(this.journal, this.doneIterations, this.now);
    const isDone = inner.addList([failureStep], TOP);
    const doneIterations = [...this.newlyDone, ...inner.newlyDone];
    if (isDone || inner.failed.length > 0) {
      return {
        ready: [],
        waiting: [],
        failed,
        end: { status: 'failed', at: failed[0] },
        doneIterations,
        winners: inner.winners,
      };
    }
    const { ready, waiting, winners } = inner;
    return { ready, waiting, failed, doneIterations, winners };
  }

  /** Adds the next steps of a list to the plan. Returns true when the whole list is done. */
  private addList(steps: readonly Step[], position: ListPosition): boolean {
    return steps.every((step) => this.addStep(step, position));
  }

  private addStep(step: Step, position: ListPosition): boolean {
    const path = position.prefix + step.id;
    const state = this.journal.get(path);
    const place = { step, path, iterations: position.iterations };
    const kind = kindOf(step);
    switch (state?.status) {
      case 'skipped':
        return true;
      case 'succeeded':
        if (kind.endsRun) this.stops.push(place);
        return !kind.endsRun && this.addInnerSteps(place, state, position);
      case 'failed':
        return this.addAfterFailure(place, position);
      case 'waiting':
        (this.isDue(state) ? this.ready : this.waiting).push(place);
        return false;
      case 'running':
        // When all inner steps are done, the runner must end the outer step.
        if (!kind.staysOpen || this.addInnerSteps(place, state, position)) this.ready.push(place);
        return false;
      case undefined:
        this.ready.push(place);
        return false;
    }
  }

  private isDue({ dueAt }: JournalState): boolean {
    return dueAt === undefined || dueAt <= this.now;
  }

  private addAfterFailure(place: Place, position: ListPosition): boolean {
    const { on_error: onError = 'fail' } = place.step;
    if (onError === 'fail') this.failed.push(place);
    return Array.isArray(onError) ? this.addList(onError, position) : onError === 'continue';
  }

  private addInnerSteps(place: Place, state: JournalState, position: ListPosition): boolean {
    const inside = kindOf(place.step).inside?.(place.step, state) ?? [];
    return 'atOnce' in inside
      ? this.addLanes(place, inside, position)
      : this.addList(inside, position);
  }

  private addLanes(loop: Place, lanes: Lanes, position: ListPosition): boolean {
    if (lanes.isRace) return this.addRace(loop, lanes, position);
    if (lanes.isLoop) return this.addIterations(loop, lanes, position);
    let open = 0;
    for (let lane = 0; lane < lanes.count && open < lanes.atOnce; lane += 1) {
      if (!this.addList(lanes.steps(lane), position)) open += 1;
    }
    return open === 0;
  }

  private addIterations(loop: Place, lanes: Lanes, position: ListPosition): boolean {
    const { first = 0, window = Infinity, isPage } = lanes;
    const end = Math.min(lanes.count, first + window);
    let open = 0;
    let doneInOrder = 0;
    for (let index = first; index < end && open < lanes.atOnce; index += 1) {
      const iteration: Iteration = { loop, index, ...(isPage && { isPage }) };
      const path = iterationPath(iteration);
      const isDone =
        this.doneIterations.has(path) ||
        this.addList(lanes.steps(index), {
          prefix: `${path}.`,
          iterations: [...position.iterations, iteration],
        });
      if (!isDone) open += 1;
      else if (!isPage && !this.doneIterations.has(path)) this.newlyDone.push(path);
      if (open === 0) doneInOrder += 1;
    }
    // The runner folds the finished iterations while other iterations may be running.
    const isFoldDue = open > 0 && doneInOrder >= window / 2;
    if (isFoldDue) this.ready.push(loop);
    return open === 0;
  }

  /**
   * Adds the steps of all lists. When one list is done, plans no steps of the other lists, and ignores failures in
   * them.
   */
  private addRace(race: Place, lanes: Lanes, position: ListPosition): boolean {
    const builders: PlanBuilder[] = [];
    for (let lane = 0; lane < lanes.count; lane += 1) {
      const builder = new PlanBuilder(this.journal, this.doneIterations, this.now);
      if (builder.addList(lanes.steps(lane), position)) {
        this.winners.set(race.path, lane);
        return true;
      }
      builders.push(builder);
    }
    for (const builder of builders) this.merge(builder);
    return false;
  }

  private merge(other: PlanBuilder): void {
    this.ready.push(...other.ready);
    this.waiting.push(...other.waiting);
    this.failed.push(...other.failed);
    this.stops.push(...other.stops);
    this.newlyDone.push(...other.newlyDone);
    for (const [path, lane] of other.winners) this.winners.set(path, lane);
  }
}
