import { describe, expect, it } from 'vitest';
import { foldText } from './contact-fields.js';

describe(foldText, () => {
  it('returns one spelling of a name in upper and lower case', () => {
    expect(foldText('E\u0301va')).toBe(foldText('\u00c9VA'));
  });

  it('keeps the order of more than 30 combining marks, because sorting them takes quadratic time', () => {
    const marks = `${'\u0301'.repeat(20)}${'\u0323'.repeat(20)}`;
    expect(foldText(`E${marks}`)).toBe(`e${marks}`);
  });
});
