import { describe, expect, it } from 'vitest';
import { inOrderOfReferences } from './stored-tables.js';

const table = (name: string, ...references: string[]) => ({ name, references });
const order = (...tables: ReturnType<typeof table>[]): string[] =>
  inOrderOfReferences(tables).map(({ name }) => name);

describe(inOrderOfReferences, () => {
  it('puts each table after the tables that it references', () => {
    expect(order(table('a', 'c'), table('b', 'a', 'c'), table('c'))).toEqual(['c', 'a', 'b']);
  });

  it('ignores references to tables that are not in the list', () => {
    expect(order(table('a', 'elsewhere'))).toEqual(['a']);
  });

  it('refuses tables that reference each other, and names them', () => {
    expect(() => order(table('a', 'b'), table('b', 'a'), table('c'))).toThrow(
      'form a circle, so no order to restore them exists: a, b',
    );
  });
});
