import { describe, expect, it } from 'vitest';
import { sample } from '../../test/support/thorough.js';
import { LiquidSandbox } from './liquid-sandbox.js';
import { ProcessorTurns } from '../turns/processor-turns.js';
import { TimeBudgets } from '../turns/time-budgets.js';

const MAX_DELAY_MS = 100;
/**
 * The largest number of attempts, of which one must be fast enough. A busy machine delays some attempts, but not all.
 */
const ATTEMPTS = 3;

const numbers = Array.from({ length: 9000 }, (_, index) => index);
const texts = numbers.map((number) => `Name ${number % 7} ${number}`);
const objects = numbers.slice(0, 4000).map((number) => ({ id: number, name: 'x'.repeat(100) }));
const big = 'a'.repeat(250_000);
const scope = {
  numbers,
  sameNumbers: [...numbers],
  texts,
  objects,
  lists: [numbers, numbers],
  big,
  needle: `b${'a'.repeat(120_000)}`,
  quotes: '"'.repeat(250_000),
  spaces: ' '.repeat(250_000),
  prefixes: Array.from({ length: 9 }, (_, index) => `${'p'.repeat(100_000)}${index}`),
};

const double = (name: string, times: number): string =>
  `{% assign x = ${name} %}${'{% assign x = x | concat: x %}'.repeat(times)}`;

const TEMPLATES: [what: string, template: string][] = [
  ['a loop of loops', '{% for a in (1..9999) %}{% for b in (1..9999) %}{% endfor %}{% endfor %}'],
  ['many comparisons of lists', `{{ ${'numbers == sameNumbers and '.repeat(2000)}true }}`],
  [
    'contains in a long list',
    '{% for n in texts %}{% if texts contains "?" %}{% endif %}{% endfor %}',
  ],
  [
    'lists in a list',
    '{% for n in numbers %}{% if lists contains sameNumbers %}{% endif %}{% endfor %}',
  ],
  ['the slowest search', '{% if big contains needle %}{% endif %}'],
  ['the slowest replacements', '{{ big | replace: needle, "x" }}'],
  [
    'growing text',
    '{% for a in (1..99) %}{{ big | replace: "a", "aa" | replace: "a", "aa" }}{% endfor %}',
  ],
  ['many characters', '{% assign x = big | split: "" %}{{ x | sort }}'],
  ['a growing list, joined', `${double('lists', 13)}{{ x | join: "," }}`],
  ['a growing list, as JSON', `${double('objects', 10)}{{ x | json }}`],
  ['a growing list, as text', `${double('lists', 13)}{{ x }}`],
  ['a growing list, in upper case', `${double('lists', 13)}{{ x | upcase }}`],
  ['a growing list, compared', `${double('lists', 13)}{% if x < "1" %}{% endif %}`],
  ['a growing list, sorted', `${double('prefixes', 11)}{{ x | sort | size }}`],
  ['a growing list, sorted naturally', `${double('prefixes', 11)}{{ x | sort_natural | size }}`],
  ['a list of lists, sorted', '{% for a in (1..999) %}{{ lists | sort }}{% endfor %}'],
  ['sorted texts', '{% for a in (1..999) %}{% assign x = texts | sort_natural %}{% endfor %}'],
  ['sorted objects', '{% for a in (1..999) %}{% assign x = objects | sort: "name" %}{% endfor %}'],
  ['where', '{% for a in (1..999) %}{% assign x = objects | where: "name", "y" %}{% endfor %}'],
  ['uniq', '{% for a in (1..999) %}{% assign x = objects | uniq %}{% endfor %}'],
  ['sum of a list', '{{ numbers | plus: 1 }}{{ lists | times: 2 }}'],
  ['a date', `{{ "2026-01-01" | date: "%${'0'.repeat(60_000)}\n" }}`],
  ['many dates', '{% for a in (1..9999) %}{{ "2026-01-01" | date: "%c %c %c" }}{% endfor %}'],
  ['dates of text', '{{ spaces | date: "%Y" }}{{ big | date: "%Y" }}'],
  ...[
    'capitalize downcase escape escape_once lstrip newline_to_br number_of_words rstrip squish strip strip_html',
    'strip_newlines upcase url_decode url_encode truncatewords json',
  ]
    .join(' ')
    .split(' ')
    .flatMap((filter) =>
      ['quotes', 'spaces', 'big', 'objects'].map((name): [string, string] => [
        `${filter} of ${name}`,
        `{% for a in (1..20) %}{% assign x = ${name} | ${filter} %}{% endfor %}`,
      ]),
    ),
  ['many filters', `{{ big ${'| upcase '.repeat(7000)} }}`],
  [
    'output of a long text',
    '{% for a in (1..999) %}{% capture x %}{{ big }}{% endcapture %}{% endfor %}',
  ],
  [
    'output of objects',
    '{% for a in (1..999) %}{% capture x %}{{ texts }}{% endcapture %}{% endfor %}',
  ],
  [
    'many cases',
    `{% for a in (1..9999) %}{% case a %}${'{% when 1 %}'.repeat(900)}{% endcase %}{% endfor %}`,
  ],
  ['cycles', `{% for a in (1..9999) %}{% cycle ${'1,'.repeat(30_000)} %}{% endfor %}`],
  ['many outputs', '{{a}}'.repeat(2000)],
  ['many outputs beyond the limit', '{{a}}'.repeat(50_000)],
  ['long paths', `{{ ${'a.'.repeat(30_000)}a }}`],
  ['a text without markup', '{ '.repeat(125_000)],
  ['blocks', '{% if a %}'.repeat(900) + '{% endif %}'.repeat(900)],
  ['blocks beyond the limit', '{% if a %}'.repeat(9000) + '{% endif %}'.repeat(9000)],
];

/**
 * Returns the longest time that other work waited for the event loop. Only processor time of this process counts,
 * because other processes of a busy machine delay it too.
 */
async function delayOf(work: () => Promise<unknown>): Promise<number> {
  let longestMs = 0;
  let tick = { at: performance.now(), cpu: process.cpuUsage() };
  const watch = (): void => {
    const { user, system } = process.cpuUsage(tick.cpu);
    const waitMs = performance.now() - tick.at;
    longestMs = Math.max(longestMs, Math.min(waitMs, (user + system) / 1000));
    tick = { at: performance.now(), cpu: process.cpuUsage() };
  };
  const timer = setInterval(watch, 1);
  await work();
  watch();
  clearInterval(timer);
  return longestMs;
}

describe('a rendering', () => {
  it.each(sample(TEMPLATES, 5))(
    'delays other work for a short time only: %s',
    async (_what, template) => {
      // Each attempt has an organization of its own, so that no organization has used up its processor time.
      const sandbox = new LiquidSandbox(new ProcessorTurns(new TimeBudgets(() => 0)));
      let delayMs = Infinity;
      for (let attempt = 0; attempt < ATTEMPTS && delayMs > MAX_DELAY_MS; attempt += 1) {
        delayMs = await delayOf(async () => {
          await sandbox.evaluate(`org_${attempt}`, template, scope).catch(() => undefined);
        });
      }
      expect(delayMs).toBeLessThan(MAX_DELAY_MS);
    },
  );
});
