/** Returns a Markdown table with padded cells, as the formatter writes it. Text in cells is escaped. */
export function markdownTable(head: readonly string[], rows: readonly string[][]): string {
  const texts = [head, ...rows].map((row) => row.map(escape));
  const widths = head.map((_, column) => Math.max(3, ...texts.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const [first, ...others] = texts.map((row) =>
    line(row.map((cell, column) => cell.padEnd(widths[column]!))),
  );
  return [first, line(widths.map((width) => '-'.repeat(width))), ...others].join('\n');
}

function escape(cell: string): string {
  return cell.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
