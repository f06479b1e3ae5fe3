// Formats start times and memory as Markdown.
import { series, spread, table } from './tables.mjs';

export function memorySection({ rows }) {
  return [
    '## Start and memory of one process',
    'From the spawn of the process to its first answered `tools/list`, with a database that is ready where it needs one. Then the memory of the process without PostgreSQL, in MiB: resident after 2 s without a request, the share of it that no other process has (`PSS`, which counts pages that several processes have by parts), and the most that was resident during calls of a trivial tool over 16 connections.',
    '',
    ...table(
      ['contestant', 'start ms', 'idle', 'idle, PSS', 'under load'],
      1,
      rows.map((row) => [
        row.title,
        ...['startMs', 'residentMiB', 'proportionalMiB', 'busyMiB'].map((key) =>
          spread(series(row, key)),
        ),
      ]),
    ),
  ];
}
