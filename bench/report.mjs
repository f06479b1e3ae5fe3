// The result as a Markdown page.
import { cpus, totalmem } from 'node:os';
import { CONTESTS } from './contests.mjs';
import { durableSections } from './durable-report.mjs';
import { median, ratio } from './statistics.mjs';

export function describeMachine() {
  const processors = cpus();
  return {
    processors: processors.length,
    model: processors[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
  };
}

export function toMarkdown({ date, machine, settings, entries, durable, boot }) {
  return [
    '# Switchboard beside its peers',
    '',
    `Measured on ${date}: ${machine.processors} processors (${machine.model}), ${machine.memoryGiB} GiB, ` +
      `${machine.platform}, Node ${machine.node}. Made by \`npm run bench\`, which says below what it did.`,
    '',
    `Closed loop over ${settings.connections} connections, ${settings.rounds} interleaved rounds of ` +
      `${settings.seconds} s after a warm-up, ${settings.tools} tools, the load from a process of its own on the same ` +
      'machine. Switchboard looks the API key up in PostgreSQL for every request and does all else that it does in ' +
      'production; its peers check no key. Every answer is compared with one that was found right before. The time of the processor is that of the ' +
      'contestant itself, without PostgreSQL.',
    '',
    ...Object.keys(CONTESTS).flatMap((contest) => section(contest, entries)),
    ...durableSections(durable),
    ...bootSection(boot),
  ].join('\n');
}

function section(contest, entries) {
  const rows = entries.filter((entry) => entry.contest === contest);
  if (rows.length === 0) return [];
  const fastest = (kind) =>
    rows
      .filter((row) => row.kind === kind)
      .reduce((a, b) => (a && a.perSecond >= b.perSecond ? a : b), undefined);
  const peer = fastest('peer');
  const nest = rows.find((row) => row.name === 'nest-express');
  const unit = CONTESTS[contest].calls > 1 ? 'calls/s' : 'requests/s';
  return [
    `## ${CONTESTS[contest].title}`,
    '',
    `| contestant | protocol | ${unit} (least – most) | CPU µs a call | p50 ms | p99 ms | × fastest peer | × bare Nest |`,
    '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...rows.map((row) =>
      [
        '',
        row.title,
        row.era,
        rate(row),
        Math.round(row.cpuMicroseconds),
        median(row.rounds.map((round) => round.p50)),
        median(row.rounds.map((round) => round.p99)),
        quotient(row, peer),
        quotient(row, nest),
        '',
      ]
        .join(' | ')
        .trim(),
    ),
    '',
  ];
}

function bootSection({ counts, starts, boots }) {
  return [
    '## Boot with many tools',
    '',
    'From the making of the application, its code loaded and its database ready, until it listens: the registry finds, checks and describes every tool meanwhile.',
    '',
    ...bootTable(counts, boots),
    'From the spawn of the process to its first answered `tools/list`, on a database that is ready.',
    '',
    ...bootTable(counts, starts),
  ];
}

function bootTable(counts, { few, many, differences, medianDifference }) {
  const show = (values) => values.map((value) => value.toFixed(0)).join(', ');
  return [
    '| tools | median ms | each ms |',
    '| ---: | ---: | --- |',
    `| ${counts.few} | ${median(few).toFixed(0)} | ${show(few)} |`,
    `| ${counts.many} | ${median(many).toFixed(0)} | ${show(many)} |`,
    '',
    `Difference: ${medianDifference.toFixed(0)} ms (${show(differences)}).`,
    '',
  ];
}

function rate(row) {
  const values = row.rounds.map((round) => round.perSecond);
  const show = (value) => Math.round(value).toLocaleString('en');
  return `${show(row.perSecond)} (${show(Math.min(...values))} – ${show(Math.max(...values))})`;
}

function quotient(row, other) {
  if (!other || other === row) return '';
  const series = ({ rounds }) => rounds.map((round) => round.perSecond);
  const { median, least, most } = ratio(series(row), series(other));
  return `${median.toFixed(2)} (${least.toFixed(2)} – ${most.toFixed(2)})`;
}
