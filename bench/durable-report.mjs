// The contests about webhooks and runs as Markdown.
import { median, ratio } from './statistics.mjs';

const TITLES = {
  accept: '## Webhook acceptance with signature',
  run: '## Runs of two steps, sustained',
};
const NOTES = {
  accept:
    'Closed loop over 16 connections, each webhook answered once it is stored; no worker runs. Afterwards every one must be stored exactly once.',
  run: 'Webhooks as in the contest before, to the process that also carries the runs out: look up a contact, store a message. From the first webhook until the last run has succeeded. Afterwards every run must have stored its own message exactly once. The queues run each step as a job of its own.',
};

/** Who stands beside which contestants in a contest, and what the quotient is called. */
const LIMIT = { name: 'node-pg', title: '× bare node:http + pg' };
const PEER = { name: 'dbos', title: '× DBOS' };

export function durableSections(results) {
  const contests = [...new Set(results.map(({ contest }) => contest))];
  return contests.flatMap((contest) => {
    const rows = results.filter((row) => row.contest === contest);
    const rate = /^latency-(\d+)$/.exec(contest)?.[1];
    return rate ? latencySection(rows, rate) : rateSection(rows, contest);
  });
}

function rateSection(rows, contest) {
  const against = contest === 'accept' ? LIMIT : PEER;
  const other = rows.find(({ name }) => name === against.name);
  const perSecond = ({ rounds }) => rounds.map((round) => round.perSecond);
  const show = (value) => Math.round(value).toLocaleString('en');
  return [
    TITLES[contest],
    '',
    NOTES[contest],
    '',
    `| contestant | ${contest === 'accept' ? 'webhooks' : 'runs'}/s (least – most) | CPU µs each | CPU µs of PostgreSQL | ${against.title} |`,
    '| --- | ---: | ---: | ---: | ---: |',
    ...rows.map((row) => {
      const values = perSecond(row);
      const quotient = other && other !== row && ratio(values, perSecond(other));
      return line([
        row.title,
        `${show(median(values))} (${show(Math.min(...values))} – ${show(Math.max(...values))})`,
        ...cpu(row),
        quotient
          ? `${quotient.median.toFixed(2)} (${quotient.least.toFixed(2)} – ${quotient.most.toFixed(2)})`
          : '',
      ]);
    }),
    '',
  ];
}

function latencySection(rows, rate) {
  const of = ({ rounds }, key) => median(rounds.map((round) => round[key])).toFixed(0);
  const spread = ({ rounds }) => {
    const values = rounds.map(({ p50 }) => p50);
    return `${Math.min(...values).toFixed(0)} – ${Math.max(...values).toFixed(0)}`;
  };
  return [
    `## Runs of two steps, ${rate} a second`,
    '',
    'From the answer to the webhook until its run has succeeded, by the time that the contestant keeps of that.',
    '',
    '| contestant | p50 ms (least – most) | p99 ms | CPU µs each | CPU µs of PostgreSQL |',
    '| --- | ---: | ---: | ---: | ---: |',
    ...rows.map((row) =>
      line([row.title, `${of(row, 'p50')} (${spread(row)})`, of(row, 'p99'), ...cpu(row)]),
    ),
    '',
  ];
}

function cpu({ rounds }) {
  return ['cpuMicroseconds', 'postgresMicroseconds'].map((key) =>
    Math.round(median(rounds.map((round) => round[key]))),
  );
}

function line(cells) {
  return `| ${cells.join(' | ')} |`;
}
