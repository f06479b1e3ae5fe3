import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { TimeBudgets } from '../turns/time-budgets.js';
import type { SearchSteps } from './hidden-secrets.js';
import { SecretSearches } from './secret-searches.js';

describe(SecretSearches, () => {
  let now = 0;
  const budgets = new TimeBudgets(() => now);
  const searches = new SecretSearches(budgets);
  const of = (organizationId: string, signal = new AbortController().signal) => ({
    organizationId,
    signal,
  });
  let stepsDone = 0;
  /** A search whose steps each use a minute of processor time. */
  function* longSearch(): SearchSteps<string> {
    for (let step = 0; step < 3; step += 1) {
      stepsDone += 1;
      budgets.spend('org_1', 60_000);
      // A turn has 10 ms, so that each step ends its turn.
      for (const endsAt = performance.now() + 11; performance.now() < endsAt;);
      yield;
    }
    return 'found';
  }

  it('stop when an organization has used its processor time, and continue when it has time again', async () => {
    const search = searches.run(of('org_1'), longSearch());
    function* shortSearch(): SearchSteps<string> {
      yield;
      return 'other';
    }
    // A search of another organization is not delayed.
    expect(await searches.run(of('org_2'), shortSearch())).toBe('other');
    await setTimeout(100);
    expect(stepsDone).toBe(1);
    for (const steps of [2, 3]) {
      now += 200_000;
      await expect.poll(() => stepsDone).toBe(steps);
    }
    now += 200_000;
    expect(await search).toBe('found');
  });

  it('end with their call while the organization has no time', async () => {
    const call = new AbortController();
    budgets.spend('org_3', 11_000);
    function* never(): SearchSteps<void> {
      yield;
      throw new Error('The search began.');
    }
    const search = searches.run(of('org_3', call.signal), never());
    call.abort(new Error('ended'));
    now += 10_000;
    await expect(search).rejects.toThrow('ended');
  });
});
