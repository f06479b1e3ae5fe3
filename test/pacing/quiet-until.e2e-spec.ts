import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';

let switchboard: RunningSwitchboard;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
});

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];

async function quietUntil(
  at: string,
  zone: string | null,
  [from, to]: readonly [string, string],
  days = EVERY_DAY,
): Promise<string> {
  const [row] = await switchboard.ownerQuery<{ until: Date }>(
    `select public.quiet_until($1, $2, 'Europe/Berlin', $3, $4, $5) as until`,
    [at, zone, from, to, days],
  );
  return row!.until.toISOString().replace('.000Z', 'Z');
}

describe('quiet_until', () => {
  it.each([
    ['before quiet hours', '2026-06-10T18:59:59Z', '2026-06-10T18:59:59Z'],
    ['at their beginning', '2026-06-10T19:00:00Z', '2026-06-11T06:00:00Z'],
    ['before midnight', '2026-06-10T21:59:59Z', '2026-06-11T06:00:00Z'],
    ['after midnight', '2026-06-11T01:00:00Z', '2026-06-11T06:00:00Z'],
    ['at their end', '2026-06-11T06:00:00Z', '2026-06-11T06:00:00Z'],
  ])(
    'returns the end of quiet hours, or the time itself outside quiet hours: %s',
    async (_name, at, until) => {
      expect(await quietUntil(at, null, ['21:00', '08:00'])).toBe(until);
    },
  );

  it.each([
    // In America/New_York it is 23:00 on Wednesday. In Asia/Tokyo it is noon on Thursday.
    ['America/New_York', '2026-06-11T12:00:00Z'],
    ['Asia/Tokyo', '2026-06-11T03:00:00Z'],
    ['asia/kathmandu', '2026-06-11T03:00:00Z'],
    ['Mars/Olympus', '2026-06-11T06:00:00Z'],
    ['', '2026-06-11T06:00:00Z'],
    [null, '2026-06-11T06:00:00Z'],
  ])('uses the time zone of the contact, or else of the organization: %s', async (zone, until) => {
    expect(await quietUntil('2026-06-11T03:00:00Z', zone, ['21:00', '08:00'])).toBe(until);
  });

  it.each([
    // 2026-06-13 is a Saturday.
    ['Friday evening', '2026-06-12T20:00:00Z', [6, 7], '2026-06-12T20:00:00Z'],
    ['Saturday', '2026-06-13T10:00:00Z', [6, 7], '2026-06-14T22:00:00Z'],
    ['Sunday', '2026-06-14T10:00:00Z', [7], '2026-06-14T22:00:00Z'],
    ['six whole days', '2026-06-15T10:00:00Z', [1, 2, 3, 4, 5, 6], '2026-06-20T22:00:00Z'],
  ])('joins quiet days that follow each other: %s', async (_name, at, days, until) => {
    expect(await quietUntil(at, null, ['00:00', '00:00'], days)).toBe(until);
  });

  it('applies the days to the beginning of quiet hours, which may end on the next day', async () => {
    const night = ['21:00', '08:00'] as const;
    // The quiet hours of Friday last until Saturday morning, and Saturday has none.
    expect(await quietUntil('2026-06-13T02:00:00Z', null, night, [5])).toBe('2026-06-13T06:00:00Z');
    expect(await quietUntil('2026-06-13T20:00:00Z', null, night, [5])).toBe('2026-06-13T20:00:00Z');
  });

  it.each([
    // Europe/Berlin: 02:00 becomes 03:00 on 2026-03-29, and 03:00 becomes 02:00 on 2026-10-25.
    ['a short night', '2026-03-28T23:00:00Z', ['21:00', '08:00'], '2026-03-29T06:00:00Z'],
    ['a skipped end', '2026-03-29T00:30:00Z', ['21:00', '02:30'], '2026-03-29T01:30:00Z'],
    ['a skipped beginning', '2026-03-29T01:30:00Z', ['02:30', '08:00'], '2026-03-29T06:00:00Z'],
    ['a long night', '2026-10-24T23:00:00Z', ['21:00', '08:00'], '2026-10-25T07:00:00Z'],
    ['the second end', '2026-10-25T00:45:00Z', ['21:00', '02:30'], '2026-10-25T01:30:00Z'],
    ['the first beginning', '2026-10-25T00:30:00Z', ['02:30', '08:00'], '2026-10-25T07:00:00Z'],
  ] as const)(
    'follows the local clock when the clock changes: %s',
    async (_name, at, hours, until) => {
      expect(await quietUntil(at, null, hours)).toBe(until);
    },
  );
});
