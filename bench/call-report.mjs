// Formats the contests about calls as Markdown.
import { CONTESTS } from './contests.mjs';
import { median } from './statistics.mjs';
import { quotient, series, spread, table } from './tables.mjs';

const show = (value) => value.toLocaleString('en');
const NOTES = {
  list: ({ tools }) => `The list has ${tools} tools.`,
  call: () => 'The tool returns its argument.',
  batch: () =>
    'The rate counts each call of a batch. Single calls are those of the previous contest, measured directly before each batch.',
  search: ({ contacts, organizations }) =>
    `The searches are for parts of names, full names and parts of e-mail addresses, among ${show(contacts)} contacts ` +
    `of ${organizations} organizations. One to ten of 20,000 match, and every response is checked. Each contestant has a separate ` +
    'database with at most 10 connections, and a GIN index on one text of name, e-mail, phone and external id. The ' +
    'index of Switchboard contains the organization; that of the peers consists of trigrams (`pg_trgm`), with another ' +
    'index on organization and time. The organization of the peers is fixed; Switchboard gets it from the API key ' +
    'and reads with row-level security.',
};

export function callSection(result, contest) {
  const { rows, connections } = result;
  const fastest = (kind) =>
    rows
      .filter((row) => row.kind === kind)
      .reduce((a, b) => (a && a.perSecond >= b.perSecond ? a : b), undefined);
  const peer = fastest('peer');
  const isBatch = contest === 'batch';
  // The database does most of the work of a search. So the search is compared with the smallest program that queries
  // the database.
  const isSearch = contest === 'search';
  const limit = rows.find((row) => row.name === (isSearch ? 'node-http' : 'nest-express'));
  return [
    `## ${CONTESTS[contest].title}`,
    `The load is a closed loop over ${connections} connections. ${NOTES[contest](result)}`,
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
