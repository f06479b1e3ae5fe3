// Formats the contests about imports as Markdown.
import { cpu } from './durable-report.mjs';
import { median } from './statistics.mjs';
import { quotient, series, spread, table } from './tables.mjs';

const show = (value) => value.toLocaleString('en', { maximumFractionDigits: 0 });

export function importSection({ rows, size }) {
  const limit = rows.find(({ kind }) => kind === 'bare');
  return [
    '## Import of a CSV file',
    `The file has ${show(size)} rows with eleven columns, all of them new contacts. The time is measured from the first byte of the upload until the last contact is stored. Switchboard checks every field, finds repeated rows and existing contacts, logs consent, and continues after a kill. By hand, csv-parse feeds COPY in one process, without checks, into a table with the same unique keys and a trigram index.`,
    '',
    ...table(
      [
        'contestant',
        'rows/s (least – most)',
        'seconds',
        'CPU µs each',
        'CPU µs of PostgreSQL',
        '× by hand',
      ],
      1,
      rows.map((row) => [
        row.title,
        spread(series(row, 'perSecond')),
        median(series(row, 'seconds')).toFixed(1),
        ...cpu(row),
        quotient(row, limit),
      ]),
    ),
  ];
}

export function importMemorySection({ rows }) {
  return [
    '## Memory of imports',
    'The resident memory of the process is read every 50 ms. A figure is the largest value minus the value before the upload.',
    '',
    ...table(
      ['contestant', 'rows', 'more MiB', 'rows/s'],
      1,
      rows.map(({ title, size, moreMiB, perSecond }) => [
        title,
        show(size),
        show(moreMiB),
        show(perSecond),
      ]),
    ),
  ];
}
