import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AdmissionTimers } from './admission-timers.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe(AdmissionTimers.name, () => {
  it.each([Number.NaN, Infinity, 2 ** 31, 1e300])(
    'checks a run every minute, and not immediately, if its wait is %d ms',
    (waitMs) => {
      let checks = 0;
      const timers = new AdmissionTimers((organizationId, id) => {
        checks += 1;
        timers.set(organizationId, id, waitMs);
      });
      timers.set('org_1', 'run_1', waitMs);
      vi.advanceTimersByTime(59_000);
      expect(checks).toBe(0);
      vi.advanceTimersByTime(2000);
      expect(checks).toBe(1);
      timers.stop();
    },
  );

  it('gives timers to other organizations when one organization has too many', () => {
    const checked = new Set<string>();
    const timers = new AdmissionTimers((organizationId) => checked.add(organizationId));
    for (let index = 0; index < 20_000; index += 1) timers.set('org_1', `run_${index}`, 10);
    timers.set('org_2', 'run_of_another', 10);
    vi.advanceTimersByTime(20);
    expect([...checked]).toEqual(['org_1', 'org_2']);
    timers.stop();
  });

  it('gives an organization new timers after its timers have ended or were replaced', () => {
    let checks = 0;
    const timers = new AdmissionTimers(() => (checks += 1));
    for (let round = 0; round < 3; round += 1) {
      for (let index = 0; index < 2000; index += 1) timers.set('org_1', `run_${index}`, 10);
      vi.advanceTimersByTime(20);
    }
    expect(checks).toBe(3000);
    for (let index = 0; index < 2000; index += 1) timers.set('org_1', 'run_1', 10);
    timers.set('org_1', 'run_2', 10);
    vi.advanceTimersByTime(20);
    expect(checks).toBe(3002);
  });
});
