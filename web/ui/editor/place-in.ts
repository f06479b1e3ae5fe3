import type { Text } from '@codemirror/state';

/** Returns the rest of the line from the place that a fault names, such as `(line 2, column 7)`, or the first line. */
export function placeIn(doc: Text, fault: string): { from: number; to: number } {
  const [, line = '1', column = '1'] = /\(line (\d{1,6}), column (\d{1,6})\)$/.exec(fault) ?? [];
  const { from, to } = doc.line(Math.min(Math.max(Number(line), 1), doc.lines));
  return { from: Math.min(from + Math.max(Number(column), 1) - 1, to), to };
}
