import { describe, expect, it, vi } from 'vitest';
import { Cron } from './cron.js';

function ticks(expression: string, timezone: string, from: string, count: number): string[] {
  const cron = Cron.parse(expression);
  if (!(cron instanceof Cron)) throw new Error(cron.fault);
  const found: string[] = [];
  let at: Date | undefined = new Date(from);
  while (found.length < count && (at = cron.next(at, timezone))) {
    found.push(at.toISOString().replace(':00.000Z', 'Z'));
  }
  return found;
}

describe(Cron.name, () => {
  it.each<[string, string, string[]]>([
    ['* * * * *', '2026-01-01T00:00:30Z', ['2026-01-01T00:01Z', '2026-01-01T00:02Z']],
    ['0 9 * * 1', '2026-11-21T10:00Z', ['2026-11-23T09:00Z', '2026-11-30T09:00Z']],
    ['0 9 * * MON-fri/2', '2026-11-21T10:00Z', ['2026-11-23T09:00Z', '2026-11-25T09:00Z']],
    ['*/20 8-9 * * *', '2026-01-01T08:30Z', ['2026-01-01T08:40Z', '2026-01-01T09:00Z']],
    ['5/30 0 * * *', '2026-01-01T00:00Z', ['2026-01-01T00:05Z', '2026-01-01T00:35Z']],
    ['0 0 1,15 * *', '2026-01-01T00:00Z', ['2026-01-15T00:00Z', '2026-02-01T00:00Z']],
    ['0 0 29 2 *', '2096-03-01T00:00Z', ['2104-02-29T00:00Z', '2108-02-29T00:00Z']],
    ['59 23 31 12 *', '2026-12-31T23:59Z', ['2027-12-31T23:59Z', '2028-12-31T23:59Z']],
    ['0 12 * * 7', '2026-11-21T10:00Z', ['2026-11-22T12:00Z', '2026-11-29T12:00Z']],
    // When both day fields are limited, a day matches either of them.
    ['0 0 13 * FRI', '2026-02-01T00:00Z', ['2026-02-06T00:00Z', '2026-02-13T00:00Z']],
    // When one day field begins with a star, a day must match both.
    ['0 0 */2 * FRI', '2026-02-01T00:00Z', ['2026-02-13T00:00Z', '2026-02-27T00:00Z']],
  ])('finds the next two times of %s in UTC', (expression, from, expected) => {
    expect(ticks(expression, 'UTC', from, 2)).toEqual(expected);
  });

  it('uses the local time of the time zone, in summer and in winter', () => {
    expect(ticks('0 9 * * *', 'Europe/Vienna', '2026-03-28T00:00Z', 2)).toEqual([
      '2026-03-28T08:00Z',
      '2026-03-29T07:00Z',
    ]);
    expect(ticks('0 0 * * *', 'Asia/Kathmandu', '2026-01-01T00:00Z', 1)).toEqual([
      '2026-01-01T18:15Z',
    ]);
  });

  it('asks the clock of the time zone fewer than 300 times, even on the day before the clocks change', () => {
    const format = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
    expect(ticks('* * * * *', 'Europe/Vienna', '2026-03-28T12:00Z', 1)).toEqual([
      '2026-03-28T12:01Z',
    ]);
    const asked = format.mock.calls.length;
    format.mockRestore();
    expect(asked).toBeLessThan(300);
  });

  it('moves a skipped local time by the length of the gap', () => {
    // On 29 March 2026, clocks go from 02:00 to 03:00.
    expect(ticks('30 2 * * *', 'Europe/Vienna', '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-29T01:30Z',
      '2026-03-30T00:30Z',
    ]);
    expect(ticks('30 2,3 * * *', 'Europe/Vienna', '2026-03-29T00:00Z', 2)).toEqual([
      '2026-03-29T01:30Z',
      '2026-03-30T00:30Z',
    ]);
    // On 4 October 2026, clocks go from 02:00 to 02:30.
    expect(ticks('0 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00Z', 1)).toEqual([
      '2026-10-03T15:30Z',
    ]);
    // Samoa had no 30 December 2011.
    expect(ticks('0 9 * * *', 'Pacific/Apia', '2011-12-29T12:00Z', 3)).toEqual([
      '2011-12-29T19:00Z',
      '2011-12-30T19:00Z',
      '2011-12-31T19:00Z',
    ]);
  });

  it('uses the first of two equal local times, but runs in every hour if all hours match', () => {
    // On 25 October 2026, clocks go from 03:00 back to 02:00.
    expect(ticks('30 2 * * *', 'Europe/Vienna', '2026-10-24T12:00Z', 2)).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-26T01:30Z',
    ]);
    expect(ticks('30 2 * * *', 'Europe/Vienna', '2026-10-25T00:45Z', 1)).toEqual([
      '2026-10-26T01:30Z',
    ]);
    expect(ticks('30 * * * *', 'Europe/Vienna', '2026-10-25T00:00Z', 3)).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-25T01:30Z',
      '2026-10-25T02:30Z',
    ]);
    expect(ticks('0 * * * *', 'Europe/Vienna', '2026-03-29T00:00Z', 2)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-29T02:00Z',
    ]);
  });

  it('returns no time for a date that does not exist', () => {
    expect(ticks('0 0 30 2 *', 'UTC', '2026-01-01T00:00Z', 1)).toEqual([]);
  });

  it.each([
    '',
    '* * * *',
    '* * * * * *',
    '@daily',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '* * * * monday',
    '5-1 * * * *',
    '*/0 * * * *',
    '1-2-3 * * * *',
    '1/2/3 * * * *',
    ', * * * *',
    '-1 * * * *',
    '1.5 * * * *',
    '0x1 * * * *',
    '1e1 * * * *',
    '? * * * *',
    'L * * * *',
    '99999999999 * * * *',
  ])('refuses "%s"', (expression) => {
    expect(Cron.parse(expression)).toEqual({ fault: expect.any(String) as string });
  });

  it('refuses every expression of more than 200 characters', () => {
    const list = (items: number): string => `0${',0'.repeat(items)} * * * *`;
    expect(Cron.parse(list(95))).toBeInstanceOf(Cron);
    const refused = { fault: 'must be text of at most 200 characters' };
    expect(Cron.parse(list(96))).toEqual(refused);
    expect(Cron.parse(list(260_000))).toEqual(refused);
    expect(Cron.parse(' '.repeat(201))).toEqual(refused);
  });
});
