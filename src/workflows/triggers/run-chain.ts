import type { RunsRepository } from '../journal/runs.repository.js';

/** The longest chain of runs that start each other. A longer chain is regarded as a loop. */
const MAX_DEPTH = 8;
/** The largest number of runs that descend from one run. More runs are regarded as a loop that branches. */
const MAX_FOLLOWERS = 10_000;

/** The place of a run in a chain of runs that start or retry each other. */
export interface Ancestry {
  readonly depth: number;
  /** The first run of the chain. */
  readonly rootRunId: string | null;
  /** True when `MAX_FOLLOWERS` runs descend from the first run. */
  readonly isFull: boolean;
}

/** The place of a stored run in its chain. */
export type ChainPlace = Pick<Ancestry, 'depth' | 'rootRunId'>;

export const NO_ANCESTRY: Ancestry = { depth: 0, rootRunId: null, isFull: false };

/** Returns the place of a run that follows from `parentRunId`. Without a parent, the run begins a chain. */
export async function findAncestry(
  runs: RunsRepository,
  organizationId: string,
  parentRunId: string | undefined,
): Promise<Ancestry> {
  const parent = parentRunId === undefined ? null : await runs.find(organizationId, parentRunId);
  // A deleted parent ended long ago, so it is not part of a current loop.
  if (!parent) return NO_ANCESTRY;
  const rootRunId = parent.rootRunId ?? parent.id;
  const isFull = await runs.hasDescendants(organizationId, rootRunId, MAX_FOLLOWERS);
  return { depth: parent.depth + 1, rootRunId, isFull };
}

/**
 * Returns the place of a run after a retry. `ancestry` is the place that a new run of the caller would have. People,
 * agents, and steps of a run that begins a chain can retry a run any number of times: the retried run gets the place of
 * a new run. Without this, earlier retries by steps would leave no starts for the steps of the run. Steps of other runs
 * raise the depth with each retry, so a loop of retries ends after a few rounds.
 */
export function retriedPlace({ depth, rootRunId }: ChainPlace, ancestry: Ancestry): ChainPlace {
  if (ancestry.depth <= 1) return { depth: ancestry.depth, rootRunId: ancestry.rootRunId };
  return { depth: Math.max(depth + 1, ancestry.depth), rootRunId: rootRunId ?? ancestry.rootRunId };
}

/** Returns the message of a run that must not start, or undefined when the run may start. */
export function loopFault({ depth, isFull }: Ancestry): string | undefined {
  if (isFull) return `At most ${MAX_FOLLOWERS} runs may descend from one run.`;
  return depth > MAX_DEPTH ? `A chain of runs has at most ${MAX_DEPTH} starts.` : undefined;
}
