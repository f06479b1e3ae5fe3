import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeForm } from './form-encoding.js';

describe(encodeForm, () => {
  it('encodes any fields as URLSearchParams does', () => {
    const text = fc.string({ unit: 'binary' });
    const halves = fc.string({ unit: fc.constantFrom('\ud83d', '\ude00', 'a', '\uffff') });
    const field = fc.tuple(fc.oneof(text, halves), fc.oneof(text, halves));
    fc.assert(
      fc.property(fc.array(field, { maxLength: 5 }), (fields) => {
        expect(encodeForm(fields).toString()).toBe(new URLSearchParams(fields).toString());
      }),
      { numRuns: 30 },
    );
  });

  it('encodes each byte as URLSearchParams does', () => {
    const fields = Array.from({ length: 0x180 }, (_, code): [string, string] => [
      String.fromCharCode(code),
      '',
    ]);
    expect(encodeForm(fields).toString()).toBe(new URLSearchParams(fields).toString());
  });
});
