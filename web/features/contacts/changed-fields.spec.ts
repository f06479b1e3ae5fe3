import { describe, expect, it } from 'vitest';
import { changedFields } from './changed-fields.js';

describe(changedFields, () => {
  it('returns only changed fields', () => {
    expect(changedFields({ a: 1, b: [1], c: 'x' }, { a: 1, b: [1, 2], c: 'y' })).toEqual({
      b: [1, 2],
      c: 'y',
    });
  });
  it('returns null for an emptied field', () => {
    expect(changedFields({ a: 'x', tags: ['a'] }, {})).toEqual({ a: null, tags: null });
  });
  it('treats null, an empty list and an absent field as equal', () => {
    expect(changedFields({ a: null, tags: [] }, {})).toEqual({});
  });
});
