import { describe, expect, it } from 'vitest';
import { csvLine, withoutGuard } from './csv-line.js';

/** Returns the only cell of a line, as a program reads it. */
const cellOf = (line: string): string => {
  const text = line.slice(0, -2);
  return text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text;
};

const FORMULAS = ['=1', '+1', '-1', '@A1', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠A1'];
const GUARDED = ["'=1", "''=1", "'＝1", "'\n=1"];
const HARMLESS = ['', 'Ada', "'", "'Ada", "O'Neill", '1=1', ' =1', "''"];

describe(csvLine, () => {
  it.each(FORMULAS)('puts an apostrophe before a formula: %j', (formula) => {
    expect(cellOf(csvLine([formula]))).toBe(`'${formula}`);
  });

  it.each(HARMLESS)('does not change a text that is not a formula: %j', (text) => {
    expect(cellOf(csvLine([text]))).toBe(text);
  });

  it.each([...FORMULAS, ...GUARDED, ...HARMLESS])(
    'writes a text so that withoutGuard returns the same text: %j',
    (text) => {
      expect(withoutGuard(cellOf(csvLine([text])))).toBe(text);
    },
  );
});
