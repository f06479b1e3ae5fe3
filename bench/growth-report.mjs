// Formats the measurements of growth as Markdown.
import { median } from './statistics.mjs';
import { quotient, series, spread, table } from './tables.mjs';

const show = (value) => value.toLocaleString('en');
const SEARCHES = {
  'search-one': 'one contact matches',
  'search-page': 'every contact matches, a page of 20',
  'search-none': 'no contact matches',
};

const CONDITIONS = {
  'filter-two': 'two properties, few match',
  'filter-two-none': 'two properties, none match',
  'filter-tag': 'a tag, five match',
  'filter-tag-none': 'a tag, none match',
  'filter-segment': 'a static segment of five',
  'filter-segment-none': 'an empty segment',
  'filter-many': 'a property and a tag, most match',
};

export function growthFiltersSection({ connections, organizations, rows }) {
  return [
    '## Conditions among growing numbers of contacts',
    `The load is a closed loop over ${connections} connections; the contacts belong to ${organizations} organizations in equal parts, and one of them is searched. The SQL by hand has a B-tree on organization and both properties, a GIN index on the tags, and a table of members. It knows these conditions only.`,
    '',
    ...growthTable(CONDITIONS, rows, 'condition', '× SQL by hand'),
  ];
}

export function growthSearchSection({ connections, organizations, rows }) {
  return [
    '## Search among growing numbers of contacts',
    `The load is a closed loop over ${connections} connections; the contacts belong to ${organizations} organizations in equal parts, and one of them is searched. Tables and indexes are those of the contest \`search_contacts\`.`,
    '',
    ...growthTable(SEARCHES, rows, 'search', '× bare node:http + pg'),
  ];
}

/** Formats the results of each search at each size, those of Switchboard beside those of bare node:http. */
function growthTable(titles, rows, head, quotientHead) {
  const beside = (row) =>
    rows.find(
      ({ name, size, search }) =>
        name === 'node-http' && size === row.size && search === row.search,
    );
  return table(
    [
      head,
      'contestant',
      'contacts',
      'requests/s (least – most)',
      'p50 ms',
      'p99 ms',
      'CPU µs of PostgreSQL',
      quotientHead,
    ],
    2,
    Object.entries(titles).flatMap(([search, title]) =>
      rows
        .filter((row) => row.search === search)
        .toSorted((a, b) => (a.name < b.name ? 1 : a.name > b.name ? -1 : a.size - b.size))
        .map((row) => [
          title,
          row.title + (row.kind === 'bare' ? ' + pg' : ''),
          show(row.size),
          spread(series(row, 'perSecond')),
          median(series(row, 'p50')),
          median(series(row, 'p99')),
          Math.round(median(series(row, 'postgresMicroseconds'))),
          quotient(row, beside(row)),
        ]),
    ),
  );
}

export function growthClaimsSection({ turns, rows }) {
  const cell = ({ without, behind }) =>
    `${behind.p50.toFixed(2)} / ${without.p50.toFixed(2)} = ${(behind.p50 / without.p50).toFixed(2)}`;
  return [
    '## Claims with a backlog',
    `A cell has milliseconds with backlog / without backlog = quotient, as medians of ${turns} turns. Two databases take turns, one of them without a backlog.`,
    '',
    ...table(
      [
        'queued runs',
        'of organizations',
        'waiting runs',
        'claim of the next run',
        'claim of a run by its id',
        'webhook to claimed',
      ],
      0,
      rows.map(({ queued, organizations, waiting, poll, hint, webhook }) => [
        ...[queued, organizations, waiting].map(show),
        ...[poll, hint, webhook].map(cell),
      ]),
    ),
  ];
}

export function growthRegistrySection({ rows }) {
  return [
    '## Lists and calls with many tools',
    'Only Switchboard is measured, with protocol 2025-11-25, in a closed loop over 16 connections.',
    '',
    ...table(
      [
        'contest',
        'tools',
        'bytes of the response',
        'requests/s (least – most)',
        'p50 ms',
        'CPU µs',
      ],
      1,
      rows
        .toSorted((a, b) => (a.contest < b.contest ? 1 : a.contest > b.contest ? -1 : 0))
        .map((row) => [
          row.contest === 'list' ? '`tools/list`' : '`tools/call` of a trivial tool',
          show(row.tools),
          show(row.bytes),
          spread(series(row, 'perSecond')),
          median(series(row, 'p50')),
          Math.round(median(series(row, 'cpuMicroseconds'))),
        ]),
    ),
  ];
}

export function growthWorkersSection({ rows, machine }) {
  return [
    '## Runs of two steps with more workers',
    `The load is that of the sustained runs above, with one process for webhooks and a growing number of workers. They share ${machine.processors} processors with PostgreSQL and the load.`,
    '',
    ...table(
      ['processes', 'runs/s (least – most)', 'CPU µs each', 'CPU µs of PostgreSQL', '× one worker'],
      1,
      rows.map((row) => [
        row.title,
        spread(series(row, 'perSecond')),
        ...['cpuMicroseconds', 'postgresMicroseconds'].map((key) =>
          Math.round(median(series(row, key))),
        ),
        quotient(row, rows[0]),
      ]),
    ),
  ];
}

export function growthNeighboursSection(result) {
  const { backlog, quietPerSecond, busyPerSecond, alone, beside } = result;
  const row = (title, { p50, p99 }) => [title, p50.toFixed(0), p99.toFixed(0)];
  return [
    '## A quiet organization while another one is busy',
    `The time is measured from the response to a webhook until its run of two steps has succeeded. There are ${quietPerSecond} webhooks per second, one web process and one worker. The cases take turns: alone, and while another organization has ${show(backlog)} queued runs and receives ${busyPerSecond} webhooks per second.`,
    '',
    ...table(['the quiet organization', 'p50 ms', 'p99 ms'], 1, [
      row('alone', alone),
      row('while another one is busy', beside),
    ]),
  ];
}
