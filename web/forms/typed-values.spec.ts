import { describe, expect, it } from 'vitest';
import { readTyped } from './typed-values.ts';

describe(readTyped, () => {
  const variables = [
    { name: 'constructor', type: 'text' },
    { name: 'count', type: 'number' },
  ];

  it('converts texts to the types of the variables, and returns undefined when nothing was typed', () => {
    expect(readTyped(variables, new Map([['count', ' ']]))).toBeUndefined();
    expect(readTyped(variables, new Map([['count', '2']]))).toEqual({ count: 2 });
    expect(readTyped(variables, new Map([['constructor', '2']]))).toEqual({ constructor: '2' });
  });
});
