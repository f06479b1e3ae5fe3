import { describe, expect, it } from 'vitest';
import { addLocalMonths, instantOf, isLocalTime } from './local-time.js';

const at = (text: string, zone: string, now: string, weekdays?: string[]): string =>
  instantOf(text, zone, new Date(now), weekdays).toISOString().replace('.000', '');

describe(isLocalTime, () => {
  it.each(['00:00', '09:00', '23:59', '2030-01-31T09:00', '2028-02-29T00:00'])(
    'accepts %s',
    (text) => expect(isLocalTime(text)).toBe(true),
  );
  it.each([
    '9:00',
    '24:00',
    '09:60',
    '09:00:00',
    '2030-01-31',
    '2030-02-29T09:00',
    '2030-01-31 09:00',
    '2030-01-31T9:00',
    '2030-01-31T09:00Z',
    '2030-01-31T09:00+01:00',
    ' 09:00',
    '',
  ])('refuses %j', (text) => expect(isLocalTime(text)).toBe(false));
});

describe(instantOf, () => {
  it.each<[string, string, string, string]>([
    ['later today', 'Europe/Vienna', '2026-11-21T07:59:59Z', '2026-11-21T08:00:00Z'],
    ['never now', 'Europe/Vienna', '2026-11-21T08:00:00Z', '2026-11-22T08:00:00Z'],
    ['tomorrow', 'Europe/Vienna', '2026-11-21T08:00:01Z', '2026-11-22T08:00:00Z'],
    // In these time zones the date is already tomorrow, or still yesterday.
    ['in the far east', 'Pacific/Kiritimati', '2026-11-21T12:00:00Z', '2026-11-21T19:00:00Z'],
    ['in the far west', 'Pacific/Pago_Pago', '2026-11-21T12:00:00Z', '2026-11-21T20:00:00Z'],
    ['with half hours', 'Asia/Kolkata', '2026-11-21T00:00:00Z', '2026-11-21T03:30:00Z'],
    ['after the spring change', 'Europe/Vienna', '2026-03-28T12:00:00Z', '2026-03-29T07:00:00Z'],
    ['after the autumn change', 'Europe/Vienna', '2026-10-24T12:00:00Z', '2026-10-25T08:00:00Z'],
    ['without changes', 'UTC', '2026-03-28T12:00:00Z', '2026-03-29T09:00:00Z'],
  ])('finds 09:00 %s', (_when, zone, now, expected) => {
    expect(at('09:00', zone, now)).toBe(expected);
  });

  it('moves a skipped time of day by the length of the gap, and uses the first of two equal times', () => {
    expect(at('02:30', 'Europe/Vienna', '2026-03-28T12:00:00Z')).toBe('2026-03-29T01:30:00Z');
    expect(at('02:30', 'Europe/Vienna', '2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30:00Z');
    expect(at('02:30', 'Europe/Vienna', '2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30:00Z');
    // Clocks change by half an hour.
    expect(at('02:15', 'Australia/Lord_Howe', '2026-10-03T00:00:00Z')).toBe('2026-10-03T15:45:00Z');
  });

  it('finds the next of the given weekdays', () => {
    // This is a Saturday.
    const now = '2026-11-21T12:00:00Z';
    expect(at('09:00', 'UTC', now, ['mon'])).toBe('2026-11-23T09:00:00Z');
    expect(at('13:00', 'UTC', now, ['sat', 'mon'])).toBe('2026-11-21T13:00:00Z');
    expect(at('11:00', 'UTC', now, ['sat'])).toBe('2026-11-28T11:00:00Z');
    // In Auckland it is Sunday.
    expect(at('09:00', 'Pacific/Auckland', now, ['sun'])).toBe('2026-11-21T20:00:00Z');
  });

  it.each<[string, string, string]>([
    ['2030-01-31T09:00', 'Europe/Vienna', '2030-01-31T08:00:00Z'],
    ['2030-07-31T09:00', 'Europe/Vienna', '2030-07-31T07:00:00Z'],
    ['2026-03-29T02:30', 'Europe/Vienna', '2026-03-29T01:30:00Z'],
    ['2026-10-25T02:30', 'Europe/Vienna', '2026-10-25T00:30:00Z'],
    ['2026-10-25T03:00', 'Europe/Vienna', '2026-10-25T02:00:00Z'],
    ['2026-03-08T02:30', 'America/New_York', '2026-03-08T07:30:00Z'],
    ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00Z'],
    // The clocks of Apia skipped that day.
    ['2011-12-30T12:00', 'Pacific/Apia', '2011-12-30T22:00:00Z'],
    ['2011-12-29T23:00', 'Pacific/Apia', '2011-12-30T09:00:00Z'],
    ['2011-12-31T01:00', 'Pacific/Apia', '2011-12-30T11:00:00Z'],
  ])('finds %s in %s', (text, zone, expected) => {
    expect(at(text, zone, '2026-01-01T00:00:00Z')).toBe(expected);
  });
});

describe(addLocalMonths, () => {
  it.each([
    ['2026-01-31T08:00:30.500Z', 1, 'Europe/Vienna', '2026-02-28T08:00:30.500Z'],
    ['2026-03-15T08:00:00.000Z', 1, 'Europe/Vienna', '2026-04-15T07:00:00.000Z'],
    ['2026-01-31T23:30:00.000Z', 1, 'Europe/Vienna', '2026-02-28T23:30:00.000Z'],
    ['2026-01-31T23:30:00.000Z', 1, 'UTC', '2026-02-28T23:30:00.000Z'],
    ['2026-02-28T01:30:00.000Z', 1, 'Europe/Vienna', '2026-03-28T01:30:00.000Z'],
    ['2027-02-28T01:30:00.000Z', 1, 'Europe/Vienna', '2027-03-28T01:30:00.000Z'],
  ])('starts at %s and adds %i months in %s', (from, months, timezone, to) => {
    expect(addLocalMonths(new Date(from), months, timezone).toISOString()).toBe(to);
  });
});
