import { describe, expect, it } from 'vitest';
import { visibleLine } from './visible-line.js';

describe(visibleLine, () => {
  it('replaces each run of control characters, direction marks and tags with one space', () => {
    expect(visibleLine('a\r\n\0b\u001b[31m\u202ec\u{e0041}d\ud800', 100)).toBe(
      'a b [31m c d\ufffd',
    );
  });

  it('cuts long texts, also inside a character of two UTF-16 code units', () => {
    expect(visibleLine('x'.repeat(300), 200)).toBe('x'.repeat(200));
    expect(visibleLine(`${'x'.repeat(199)}😀`, 200)).toBe(`${'x'.repeat(199)}\ufffd`);
  });
});
