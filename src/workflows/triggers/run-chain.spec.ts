import { describe, expect, it } from 'vitest';
import { loopFault, NO_ANCESTRY, retriedPlace } from './run-chain.js';

/** Returns the place of a run that follows from a run with this depth. */
const after = (depth: number) => ({ depth: depth + 1, rootRunId: 'run_1', isFull: false });

describe(retriedPlace, () => {
  it('grows until the limit when two runs retry each other', () => {
    const depths = [0, 0];
    let retries = 0;
    for (let caller = 0; ; caller = 1 - caller) {
      const ancestry = after(depths[caller]!);
      const place = { depth: depths[1 - caller]!, rootRunId: 'run_1' };
      const { depth } = retriedPlace(place, ancestry);
      if (loopFault({ ...ancestry, depth }) !== undefined) break;
      depths[1 - caller] = depth;
      retries += 1;
    }
    expect(retries).toBe(8);
  });

  it('grows with each retry by a run that follows from another run', () => {
    const places = [0, 1, 2, 7].map((depth) => retriedPlace({ depth, rootRunId: null }, after(1)));
    expect(places.map(({ depth }) => depth)).toEqual([2, 2, 3, 8]);
    expect(places.every(({ rootRunId }) => rootRunId === 'run_1')).toBe(true);
  });

  it('keeps the first run of the chain when a run that follows from another run makes the call', () => {
    const place = { depth: 2, rootRunId: 'run_0' };
    expect(retriedPlace(place, after(3))).toEqual({ depth: 4, rootRunId: 'run_0' });
  });

  it('is the place of a new run when a run that begins a chain makes the call', () => {
    for (const depth of [0, 1, 8]) {
      const place = { depth, rootRunId: 'run_0' };
      expect(retriedPlace(place, after(0))).toEqual({ depth: 1, rootRunId: 'run_1' });
    }
  });

  it('is the first place of a chain when a person or an agent makes the call', () => {
    const place = { depth: 8, rootRunId: 'run_0' };
    expect(retriedPlace(place, NO_ANCESTRY)).toEqual({ depth: 0, rootRunId: null });
  });
});

describe(loopFault, () => {
  it('allows eight starts after the first run, and no run after 10,000 others', () => {
    expect(loopFault(after(7))).toBeUndefined();
    expect(loopFault(after(8))).toContain('at most 8');
    expect(loopFault({ ...after(0), isFull: true })).toContain('10000');
  });
});
