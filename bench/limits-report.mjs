// Formats the contests about new databases, long steps and large runs as Markdown.
import { median } from './statistics.mjs';
import { table } from './tables.mjs';

const show = (value) => Math.round(value).toLocaleString('en');
const ms = ({ p50, p99 }) => [p50.toFixed(1), p99.toFixed(1)];

export function freshSection({ minutes, partSeconds, rows }) {
  const count = rows[0].restarted.length;
  const mean = (rates) => rates.slice(0, count).reduce((sum, rate) => sum + rate, 0) / count;
  return [
    '## The first minutes of a new database',
    `Each contestant starts on an empty database and executes runs of two steps for ${minutes} minutes, without interruption and without a warm-up. At most 2,000 runs wait. Each rate is measured over ${partSeconds} s. New processes are slow at first, until their code is compiled. So they start once more on the same database, with its rows and up-to-date statistics: the first rate and that of the first ${count} parts show what the new database itself costs.`,
    '',
    ...table(
      [
        'contestant',
        'first runs/s',
        'after a restart',
        `first ${count} parts`,
        'after a restart',
        'median',
        'least',
        'least ÷ median',
        'CPU µs each',
        'CPU µs of PostgreSQL',
      ],
      1,
      rows.map(({ title, perSecond, restarted, least, cpuMicroseconds, postgresMicroseconds }) => [
        title,
        ...[perSecond[0], restarted[0], mean(perSecond), mean(restarted)].map(show),
        ...[median(perSecond), Math.min(...perSecond)].map(show),
        least.toFixed(2),
        ...[cpuMicroseconds, postgresMicroseconds].map(show),
      ]),
    ),
  ];
}

export function slowStepSection({ perSecond, alone, beside }) {
  return [
    '## Runs beside a step that waits long',
    `The time is measured from the response to a webhook until its run of two steps has succeeded, at ${perSecond} webhooks per second. The cases take turns: alone, and while a step of the same organization, which may take 300 s, waits for another system.`,
    '',
    ...table(['the runs', 'p50 ms', 'p99 ms'], 1, [
      ['alone', ...ms(alone)],
      ['beside the step', ...ms(beside)],
    ]),
  ];
}

export function largeRunSection({ steps, calls, bytes, run, others }) {
  return [
    '## `get_run` of a large run',
    `The run has ${show(steps)} steps with an output of almost 1 MiB each. There are ${show(calls)} calls one after the other, each together with a request to \`/health/live\`. A response has ${show(bytes)} bytes.`,
    '',
    ...table(['request', 'p50 ms', 'p99 ms'], 1, [
      ['`get_run`', ...ms(run)],
      ['`/health/live` at the same time', ...ms(others)],
    ]),
  ];
}
