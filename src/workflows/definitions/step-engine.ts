import type { Step } from './definition.js';
import { kindOf } from './steps/step-kinds.js';

export type StepStatus = 'running' | 'waiting' | 'succeeded' | 'failed' | 'skipped';

/** What the journal says of one step, as far as the way through the definition depends on it. */
export interface JournalState {
  readonly status: StepStatus;
  readonly input?: object | null;
  readonly output?: object | null;
  /** Of a step that waits: when its time has come, on the clock of `performance.now()`. Absent: it has come. */
  readonly dueAt?: number;
}

/** Entries by their paths. */
export type Journal = Pick<ReadonlyMap<string, JournalState>, 'get'>;

/** One turn of a loop: what the entries of its steps are called by, and what their expressions see. */
export interface Turn {
  readonly loop: Place;
  readonly index: number;
}

/** Where a run has come to: a step, and the key of its entry in the journal, such as `each[3].send`. */
export interface Place<S extends Step = Step> {
  readonly step: S;
  readonly path: string;
  /** The turns of loops that the step is in, the outermost first. */
  readonly turns: readonly Turn[];
}

/** Lists of steps that are walked beside each other. */
export interface Lanes {
  readonly count: number;
  /** How many may be under way at a time: always the first of those that are not done. */
  readonly atOnce: number;
  /** Whether each is a turn of a loop, so that its steps have entries of their own. */
  readonly isLoop: boolean;
  readonly steps: (lane: number) => readonly Step[];
}

/** What a run can do next. */
export interface Plan {
  /** Steps that can be carried out now, by the order of the definition; those that are being carried out are among them. */
  readonly ready: readonly Place[];
  /** Steps whose time has not come. */
  readonly asleep: readonly Place[];
  /** Steps whose failure ends the run. */
  readonly failed: readonly Place[];
  /** How the run ends, as soon as nothing is being carried out any more. `at` is the step that ends it before its time. */
  readonly end?: { readonly status: 'succeeded' | 'failed'; readonly at?: Place };
  /** Turns of loops that are done and were not in `passed`. */
  readonly passed: readonly string[];
}

const TOP: Surroundings = { prefix: '', turns: [] };

interface Surroundings {
  readonly prefix: string;
  readonly turns: readonly Turn[];
}

/**
 * All that a run can do next. It follows from the definition and the journal alone, so every worker that takes the run
 * over, whenever that is, goes on exactly where the journal ends. Entries of turns in `passed` are not asked for.
 */
export function planOf(
  steps: readonly Step[],
  journal: Journal,
  passed: ReadonlySet<string> = new Set(),
  now = performance.now(),
): Plan {
  return new Walk(journal, passed, now).plan(steps);
}

class Walk {
  private readonly ready: Place[] = [];
  private readonly asleep: Place[] = [];
  private readonly failed: Place[] = [];
  private readonly stops: Place[] = [];
  private readonly newlyPassed: string[] = [];

  constructor(
    private readonly journal: Journal,
    private readonly passed: ReadonlySet<string>,
    private readonly now: number,
  ) {}

  plan(steps: readonly Step[]): Plan {
    const isDone = this.list(steps, TOP);
    const { ready, asleep, failed, newlyPassed: passed } = this;
    // A failure is never hidden by a stop beside it.
    const at = failed[0] ?? this.stops[0];
    if (!isDone && !at) return { ready, asleep, failed, passed };
    const status = failed.length > 0 ? 'failed' : 'succeeded';
    return { ready: [], asleep: [], failed, end: { status, at }, passed };
  }

  /** Goes as far through the steps as the journal does, and says whether that is all of them. */
  private list(steps: readonly Step[], around: Surroundings): boolean {
    return steps.every((step) => this.step(step, around));
  }

  private step(step: Step, around: Surroundings): boolean {
    const path = around.prefix + step.id;
    const state = this.journal.get(path);
    const place = { step, path, turns: around.turns };
    const kind = kindOf(step);
    switch (state?.status) {
      case 'skipped':
        return true;
      case 'succeeded':
        if (kind.endsRun) this.stops.push(place);
        return !kind.endsRun && this.inside(place, state, around);
      case 'failed':
        return this.afterFailure(place, around);
      case 'waiting':
        (state.dueAt !== undefined && state.dueAt > this.now ? this.asleep : this.ready).push(
          place,
        );
        return false;
      case 'running':
        // Once all inside is done, what is left is to end the step itself.
        if (!kind.staysOpen || this.inside(place, state, around)) this.ready.push(place);
        return false;
      case undefined:
        this.ready.push(place);
        return false;
    }
  }

  private afterFailure(place: Place, around: Surroundings): boolean {
    const { on_error: onError = 'fail' } = place.step;
    if (onError === 'fail') this.failed.push(place);
    return Array.isArray(onError) ? this.list(onError, around) : onError === 'continue';
  }

  private inside(place: Place, state: JournalState, around: Surroundings): boolean {
    const inside = kindOf(place.step).inside(place.step, state);
    return 'atOnce' in inside ? this.lanes(place, inside, around) : this.list(inside, around);
  }

  private lanes(loop: Place, lanes: Lanes, around: Surroundings): boolean {
    let open = 0;
    for (let lane = 0; lane < lanes.count && open < lanes.atOnce; lane += 1) {
      const turn = `${loop.path}[${lane}]`;
      if (lanes.isLoop && this.passed.has(turn)) continue;
      const inner = lanes.isLoop
        ? { prefix: `${turn}.`, turns: [...around.turns, { loop, index: lane }] }
        : around;
      if (!this.list(lanes.steps(lane), inner)) open += 1;
      else if (lanes.isLoop) this.newlyPassed.push(turn);
    }
    return open === 0;
  }
}
