import { describe, expect, it } from 'vitest';
import { freeName } from './value-name.ts';

describe(freeName, () => {
  it.each([
    [[], 'trigger.payload.email', 'email'],
    [['email'], 'trigger.payload.email', 'email_2'],
    [['email', 'email_2'], 'contact.email', 'email_3'],
    [[], 'each.results[0]', 'value'],
  ])('for the used names %j and the expression %s, returns %s', (names, expression, name) => {
    expect(freeName(names, expression)).toBe(name);
  });
});
