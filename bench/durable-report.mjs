// Formats the contests about webhooks and runs as Markdown.
import { median } from './statistics.mjs';
import { quotient, series, spread, table } from './tables.mjs';

const TITLES = {
  accept: '## Webhook acceptance with signature',
  run: '## Runs of two steps, sustained',
};
const NOTES = {
  accept:
    'The load is a closed loop over 16 connections. Each webhook delivery is answered when it is stored; no worker runs. Afterwards every delivery must be stored exactly once.',
  run: 'The webhooks are those of the previous contest, but runs are executed too: they look up a contact and store a message. The time is measured from the first webhook until the last run has succeeded. Afterwards every run must have stored its message exactly once. The queues run each step as a separate job. Processor time includes that of the server of Restate, which stores the runs in files of its own.',
};
/** Lists the comparisons of each contest, with the title of the quotient. */
const COMPARISONS = {
  accept: [{ name: 'node-pg', title: '× bare node:http + pg' }],
  run: [
    { name: 'dbos', title: '× DBOS' },
    { name: 'restate', title: '× Restate' },
  ],
};
const CPU = ['CPU µs each', 'CPU µs of PostgreSQL'];

export function durableSection({ rows }, contest) {
  const rate = /^latency-(\d+)$/.exec(contest)?.[1];
  return rate ? latencySection(rows, rate) : rateSection(rows, contest);
}

function rateSection(rows, contest) {
  const comparisons = COMPARISONS[contest];
  const unit = contest === 'accept' ? 'webhooks' : 'runs';
  return [
    TITLES[contest],
    NOTES[contest],
    '',
    ...table(
      ['contestant', `${unit}/s (least – most)`, ...CPU, ...comparisons.map(({ title }) => title)],
      1,
      rows.map((row) => [
        row.title,
        spread(series(row, 'perSecond')),
        ...cpu(row),
        ...comparisons.map((against) =>
          quotient(
            row,
            rows.find(({ name }) => name === against.name),
          ),
        ),
      ]),
    ),
  ];
}

function latencySection(rows, rate) {
  const find = (wanted) => rows.find(({ name }) => name === wanted);
  return [
    `## Runs of two steps at ${rate} webhooks per second`,
    'The time is measured from the response to the webhook until its run has succeeded, by the end time that the contestant records.',
    '',
    ...table(
      [
        'contestant',
        'p50 ms (least – most)',
        'p99 ms',
        'p99 × graphile-worker',
        ...CPU,
        'CPU × DBOS',
      ],
      1,
      rows.map((row) => [
        row.title,
        spread(series(row, 'p50')),
        median(series(row, 'p99')).toFixed(0),
        quotient(row, find('graphile-worker'), 'p99'),
        ...cpu(row),
        row.name === 'dbos' ? '' : quotient(withWholeCpu(row), withWholeCpu(find('dbos')), 'cpu'),
      ]),
    ),
  ];
}

/** Returns the row with the sum of the processor times of the contestant and of PostgreSQL in each round. */
function withWholeCpu(row) {
  return (
    row && {
      ...row,
      rounds: row.rounds.map((round) => ({
        cpu: round.cpuMicroseconds + round.postgresMicroseconds,
      })),
    }
  );
}

/** Formats the processor time for each webhook in microseconds, in the contestant and in PostgreSQL. */
export function cpu(row) {
  return ['cpuMicroseconds', 'postgresMicroseconds'].map((key) =>
    Math.round(median(series(row, key))),
  );
}
