// Formats start times and memory as Markdown.
import { series, spread, table } from './tables.mjs';

export function memorySection({ rows }) {
  return [
    '## Start and memory of one process',
    'Start: from the spawn of the process to its first response to `tools/list`, on a prepared database. Memory of the process without PostgreSQL, in MiB. Idle: resident after 2 s without a request. PSS: its proportional share, which divides shared pages among the processes. Under load: the largest resident size during calls of a trivial tool over 16 connections.',
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
