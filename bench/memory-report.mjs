// Formats start times and memory as Markdown.
import { series, spread, table } from './tables.mjs';

export function memorySection({ rows }) {
  return [
    '## Start and memory of one process',
    'A start is measured from the spawn of the process to its first response to `tools/list`, on a prepared database. Memory is that of the process without PostgreSQL, in MiB. "Idle" is the resident size after 2 s without a request. "PSS" is its proportional share, which divides shared pages among the processes. "Under load" is the largest resident size during calls of a trivial tool over 16 connections.',
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
