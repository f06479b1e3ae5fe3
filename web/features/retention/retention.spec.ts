import { describe, expect, it } from 'vitest';
import { changesOf, deletes, readDays } from './retention.ts';

const present = {
  runs_days: 30,
  messages_days: null,
  webhook_deliveries_days: null,
  audit_log_days: 365,
};

describe(readDays, () => {
  it.each([
    ['', null],
    [' 30 ', 30],
    ['3.5', undefined],
    ['-1', undefined],
    ['a week', undefined],
  ])('converts the typed text %j to %j', (typed, days) => expect(readDays(typed)).toBe(days));
});

describe(deletes, () => {
  it.each([
    [{ runs_days: 7 }, true],
    [{ runs_days: 60 }, false],
    [{ runs_days: null }, false],
    [{ messages_days: 3650 }, true],
  ])('for the change %j, returns %s', (wanted, expected) => {
    const changes = changesOf(present, { ...present, ...wanted });
    expect(changes).toEqual(wanted);
    expect(deletes(present, changes)).toBe(expected);
  });
});
