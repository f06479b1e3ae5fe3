import { describe, expect, it } from 'vitest';
import { mergeRows, savepoint } from './merge-rows.js';
import type { DeferredStatement } from './statement-sender.js';

const toValues = (rows: readonly (readonly unknown[])[]) => [rows.flat().join(' ')];

function row(name: string, value: string): DeferredStatement {
  return { name, text: `insert ${name}`, values: [value], toValues };
}

function other(name: string): DeferredStatement {
  return { name, text: name, values: [name] };
}

function merged(...statements: DeferredStatement[]): string[] {
  return mergeRows(statements).map(({ name, values }) => `${name}: ${values.join()}`);
}

describe('rows for the same statement', () => {
  it('become one statement, at the place of the first row', () => {
    const statements = [row('a', '1'), other('b'), row('c', '1'), row('a', '2'), row('a', '3')];
    expect(merged(...statements)).toEqual(['a: 1 2 3', 'b: b', 'c: 1']);
  });

  it('do not move across a savepoint', () => {
    const statements = [row('a', '1'), savepoint(1), row('a', '2'), row('a', '3')];
    expect(merged(...statements)).toEqual(['a: 1', 'switchboard_savepoint_1: ', 'a: 2 3']);
  });

  it('are merged only for statements that take rows', () => {
    expect(merged(other('a'), other('a'))).toEqual(['a: a', 'a: a']);
  });
});
