import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { analyse } from 'scslre';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const SRC = import.meta.dirname;

/**
 * Patterns that take time in proportion to the square of the text, with the reason why the text is short. A pattern
 * belongs here only when its text has a fixed limit.
 */
const SHORT_TEXTS: Record<string, string> = {
  '^["\'«»“”]+|["\'«»“”.!]+$': 'smsKeywordOf reads texts of at most 40 characters',
};

interface Pattern {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

function slowPartsOf({ source, flags }: Pattern): string[] {
  const { reports } = analyse({ source, flags });
  return reports.map(({ type, exponential, character }) => {
    const growth = exponential ? 'exponential' : 'polynomial';
    return `${type}, ${growth}, for many ${JSON.stringify(character.pick)}`;
  });
}

function patternsIn(path: string): Pattern[] {
  const tree = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: Pattern[] = [];
  const visit = (node: ts.Node): void => {
    const text = patternOf(node);
    if (text !== undefined) {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
      const end = text.lastIndexOf('/');
      const place = `${relative(SRC, path)}:${line + 1}`;
      found.push({ place, source: text.slice(1, end), flags: text.slice(end + 1) });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** Returns `/pattern/flags` for a literal, and for `new RegExp` of a text without variables. */
function patternOf(node: ts.Node): string | undefined {
  if (ts.isRegularExpressionLiteral(node)) return node.text;
  if (!ts.isNewExpression(node) || node.expression.getText() !== 'RegExp') return undefined;
  const [source, flags] = node.arguments ?? [];
  if (!source || !ts.isStringLiteralLike(source)) return undefined;
  return `/${source.text}/${flags && ts.isStringLiteralLike(flags) ? flags.text : ''}`;
}

const PATTERNS = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((path) => !path.endsWith('.spec.ts'))
  .flatMap(patternsIn);

describe('regular expressions of src', () => {
  it('are found by this test', () => expect(PATTERNS.length).toBeGreaterThan(40));

  it('take time in proportion to the length of the text', () => {
    const slow = PATTERNS.flatMap((pattern) =>
      Object.hasOwn(SHORT_TEXTS, pattern.source)
        ? []
        : slowPartsOf(pattern).map((part) => `${pattern.place} /${pattern.source}/ ${part}`),
    );
    expect(slow).toEqual([]);
  });

  it('have exemptions only for patterns that exist and are slow', () => {
    for (const source of Object.keys(SHORT_TEXTS)) {
      const pattern = PATTERNS.find((one) => one.source === source);
      expect(pattern && slowPartsOf(pattern), source).not.toEqual([]);
    }
  });

  it.each(['^(a+)+$', '\\s+$', '^\\d*\\d*x'])(
    'would fail this test with the slow pattern /%s/',
    (source) => {
      expect(slowPartsOf({ place: '', source, flags: '' })).not.toEqual([]);
    },
  );
});
