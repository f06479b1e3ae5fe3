import { describe, expect, it } from 'vitest';
import { guessMapping } from './column-mapping.js';

const columns = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `Column ${index}`);

describe(guessMapping, () => {
  it('proposes fields for the known headings of all columns that a file can have', () => {
    expect(guessMapping([...columns(499), 'E-Mail'], [])).toEqual({ 'E-Mail': 'email' });
    expect(guessMapping(['Seat Count'], ['seat_count'])).toEqual({
      'Seat Count': 'properties.seat_count',
    });
  });

  it('reads at most 500 columns, although SQL of a tool stored more', () => {
    expect(guessMapping([...columns(500), 'E-Mail'], [])).toEqual({});
  });
});
