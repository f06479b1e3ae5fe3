import { describe, expect, it } from 'vitest';
import { loopFault, retriedDepth } from './run-chain.js';

/** Returns the place of a run that follows from a run with this depth. */
const after = (depth: number) => ({ depth: depth + 1, rootRunId: 'run_1', isFull: false });

describe(retriedDepth, () => {
  it('grows until the limit when two runs retry each other', () => {
    const depths = [0, 0];
    let retries = 0;
    for (let caller = 0; ; caller = 1 - caller) {
      const ancestry = after(depths[caller]!);
      const depth = retriedDepth(depths[1 - caller]!, ancestry);
      if (loopFault({ ...ancestry, depth }) !== undefined) break;
      depths[1 - caller] = depth;
      retries += 1;
    }
    expect(retries).toBe(8);
  });

  it('grows with each retry by a run that follows from another run', () => {
    expect([0, 1, 2, 7].map((depth) => retriedDepth(depth, after(1)))).toEqual([2, 2, 3, 8]);
  });

  it('does not grow when runs that begin a chain retry the run again and again', () => {
    expect([0, 1, 5].map((depth) => retriedDepth(depth, after(0)))).toEqual([1, 1, 5]);
  });
});

describe(loopFault, () => {
  it('allows eight starts after the first run, and no run after 10,000 others', () => {
    expect(loopFault(after(7))).toBeUndefined();
    expect(loopFault(after(8))).toContain('at most 8');
    expect(loopFault({ ...after(0), isFull: true })).toContain('10000');
  });
});
