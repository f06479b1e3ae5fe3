// Formats the contests about calls as Markdown.
import { CONTESTS } from './contests.mjs';
import { median } from './statistics.mjs';
import { quotient, series, spread, table } from './tables.mjs';

const show = (value) => value.toLocaleString('en');
const NOTES = {
  list: ({ tools }) => `${tools} tools.`,
  call: () => 'The tool says again what it is told.',
  batch: () =>
    'Each call counts. Single calls are those of the contest before, measured right before each batch.',
  search: ({ contacts, organizations }) =>
    `Parts of names, full names and parts of e-mail addresses, ${show(contacts)} contacts of ${organizations} ` +
    'organizations; one to ten of 20,000 match, and all of them are compared with those that should. Each contestant ' +
    'has a database of its own, at most 10 connections to it, and a GIN index of one text made of name, e-mail, ' +
    'phone and external id: Switchboard of its own keys, which tell organizations apart, the peers of trigrams ' +
    '(`pg_trgm`), beside an index of organization and time. The peers know the organization ' +
    'without asking; Switchboard learns it from the key, and reads behind row-level security.',
};

export function callSection(result, contest) {
  const { rows, connections } = result;
  const fastest = (kind) =>
    rows
      .filter((row) => row.kind === kind)
      .reduce((a, b) => (a && a.perSecond >= b.perSecond ? a : b), undefined);
  const peer = fastest('peer');
  const isBatch = contest === 'batch';
  // A search is mostly work of the database. The limit is the smallest program that queries it.
  const isSearch = contest === 'search';
  const limit = rows.find((row) => row.name === (isSearch ? 'node-http' : 'nest-express'));
  return [
    `## ${CONTESTS[contest].title}`,
    `Closed loop over ${connections} connections. ${NOTES[contest](result)}`,
    '',
    ...table(
      [
        'contestant',
        'protocol',
        `${CONTESTS[contest].calls > 1 ? 'calls' : 'requests'}/s (least – most)`,
        'CPU µs a call',
        ...(isSearch ? ['CPU µs of PostgreSQL'] : []),
        'p50 ms',
        'p99 ms',
        '× fastest peer',
        isSearch ? '× bare node:http + pg' : '× bare Nest',
        ...(isBatch ? ['× single calls'] : []),
      ],
      2,
      rows.map((row) => [
        row.title + (isSearch && row.kind === 'bare' ? ' + pg' : ''),
        row.era,
        spread(series(row, 'perSecond')),
        ...['cpuMicroseconds', ...(isSearch ? ['postgresMicroseconds'] : [])].map((key) =>
          Math.round(median(series(row, key))),
        ),
        median(series(row, 'p50')),
        median(series(row, 'p99')),
        quotient(row, peer),
        quotient(row, limit),
        ...(isBatch ? [quotient(row, row.single)] : []),
      ]),
    ),
  ];
}
