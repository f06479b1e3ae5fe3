import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SecurityLog } from './security-log.js';

describe('the log of security events', () => {
  let lines: unknown[];

  beforeEach(() => {
    lines = [];
    vi.useFakeTimers({ toFake: ['performance'] });
    vi.spyOn(Logger.prototype, 'warn').mockImplementation((line: unknown) => void lines.push(line));
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('has one line a second for each kind of event and subject, and counts the other events', () => {
    const log = new SecurityLog();
    for (let count = 0; count < 1000; count += 1) {
      log.report('rate_limited', { subject: 'org_a' });
      log.report('rate_limited', { subject: 'org_b' });
      log.report('unknown_key', { address: '192.0.2.1' });
    }
    expect(lines).toEqual([
      { security_event: 'rate_limited', subject: 'org_a' },
      { security_event: 'rate_limited', subject: 'org_b' },
      { security_event: 'unknown_key', address: '192.0.2.1' },
    ]);
    vi.advanceTimersByTime(1000);
    log.report('rate_limited', { subject: 'org_a' });
    expect(lines.at(-1)).toEqual({
      security_event: 'rate_limited',
      subject: 'org_a',
      unlogged: 999,
    });
  });
});
