// Formats the results as a Markdown page.
import { cpus, totalmem } from 'node:os';
import { bootSection } from './boot-report.mjs';
import { callSection } from './call-report.mjs';
import { durableSection } from './durable-report.mjs';
import {
  growthClaimsSection,
  growthNeighboursSection,
  growthRegistrySection,
  growthSearchSection,
  growthWorkersSection,
} from './growth-report.mjs';
import { mailSection } from './mail-report.mjs';
import { memorySection } from './memory-report.mjs';

/** The sections of the page in their order. */
const SECTIONS = {
  list: callSection,
  call: callSection,
  batch: callSection,
  search: callSection,
  accept: durableSection,
  run: durableSection,
  'latency-50': durableSection,
  'latency-200': durableSection,
  mail: mailSection,
  boot: bootSection,
  memory: memorySection,
  'growth-search': growthSearchSection,
  'growth-claims': growthClaimsSection,
  'growth-registry': growthRegistrySection,
  'growth-workers': growthWorkersSection,
  'growth-neighbours': growthNeighboursSection,
};

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

export function toMarkdown(results) {
  const shown = Object.keys(SECTIONS).filter((contest) => results[contest]);
  const common = shown.length > 0 ? measuredOn(results[shown[0]]) : '';
  return [
    '# Switchboard beside its peers',
    '',
    `${common} Made by \`npm run bench\`, which says below what it did.`,
    '',
    'Contestants take turns in rounds after a warm-up, the load comes from a process of its own on the same machine, ' +
      'and figures are medians of the rounds, with the least and the most. Switchboard looks the API key up in ' +
      'PostgreSQL for every request and does all else that it does in production; its peers check no key. A wrong ' +
      'answer ends the bench. The time of the processor is that of the contestant itself, without PostgreSQL, unless ' +
      'it says otherwise.',
    '',
    ...shown.flatMap((contest) => {
      const [title, note, ...lines] = SECTIONS[contest](results[contest], contest);
      const measured = measuredOn(results[contest]);
      return [
        title,
        '',
        ...(measured === common ? [] : [measured, '']),
        `${note} ${extentOf(results[contest])}`.trim(),
        ...lines,
        '',
      ];
    }),
  ].join('\n');
}

function measuredOn({ date, machine }) {
  return (
    `Measured on ${date}: ${machine.processors} processors (${machine.model}), ${machine.memoryGiB} GiB, ` +
    `${machine.platform}, Node ${machine.node}.`
  );
}

function extentOf({ rounds, seconds }) {
  if (!rounds) return '';
  return seconds ? `${rounds} rounds of ${seconds} s.` : `${rounds} rounds.`;
}
