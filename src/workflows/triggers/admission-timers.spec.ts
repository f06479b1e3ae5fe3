import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AdmissionTimers } from './admission-timers.js';

describe(AdmissionTimers.name, () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each([Infinity, 2 ** 31, 90_000_000])('does not check at once after a wait of %s ms', (ms) => {
    const check = vi.fn();
    new AdmissionTimers(check).set('org_a', 'run_a', ms);
    vi.advanceTimersByTime(60_000);
    expect(check).not.toHaveBeenCalled();
  });

  it('checks the run after its wait', () => {
    const check = vi.fn();
    new AdmissionTimers(check).set('org_a', 'run_a', 1000);
    vi.advanceTimersByTime(1001);
    expect(check).toHaveBeenCalledExactlyOnceWith('org_a', 'run_a');
  });
});
