import { Text } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import { placeIn } from './place-in.ts';

describe('placeIn', () => {
  const doc = Text.of(['const a = 1;', '  let b = ;']);

  it('returns the rest of the line from the named column', () => {
    expect(placeIn(doc, 'is not valid: unexpected (line 2, column 11)')).toEqual({
      from: 23,
      to: 24,
    });
  });

  it('returns the first line when the fault names no place', () => {
    expect(placeIn(doc, 'needs the setting CODE_STEPS=on')).toEqual({ from: 0, to: 12 });
  });

  it('stays inside the text when the fault names a place beyond the end of the text', () => {
    expect(placeIn(doc, 'x (line 99, column 99)')).toEqual({ from: 24, to: 24 });
    expect(placeIn(Text.of(['']), 'x (line 0, column 0)')).toEqual({ from: 0, to: 0 });
  });
});
