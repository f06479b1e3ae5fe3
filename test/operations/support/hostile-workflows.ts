const NUMBERS = Array.from({ length: 4800 }, (_, index) => index);

/** The body of a webhook that makes comparisons expensive: two equal lists, and long texts. */
export const EXPENSIVE_PAYLOAD = {
  a: NUMBERS,
  b: NUMBERS,
  text: 'a'.repeat(100_000),
  needle: `b${'a'.repeat(50_000)}`,
  // A search compares about half of this text at each position of the text above.
  middle: `${'a'.repeat(2000)}b${'a'.repeat(2000)}`,
  spaces: ' '.repeat(50_000),
};

const PAYLOAD = 'trigger.payload';
const repeat = (text: string, characters: number): string =>
  text.repeat(Math.floor(characters / text.length));
const chain = (test: string): string => `${repeat(`${test} and `, 4000)}true`;

/** Lists conditions of at most 4,096 characters that take as long as possible with the expensive payload. */
export const CONDITIONS: readonly [what: string, condition: string][] = [
  ['comparisons of lists', chain(`${PAYLOAD}.a == ${PAYLOAD}.b`)],
  ['searches in a list', chain(`${PAYLOAD}.a contains ${PAYLOAD}.b`)],
  ['searches in a text', chain(`${PAYLOAD}.text contains ${PAYLOAD}.needle`)],
  ['the slowest search in a text', chain(`${PAYLOAD}.text contains ${PAYLOAD}.middle`)],
  ['lists as text', chain(`${PAYLOAD}.a < ${PAYLOAD}.b`)],
  ['long names', `${PAYLOAD}.${repeat('a.', 3900)}a`],
];

/** Lists the JavaScript of code steps that use as much time or memory as possible. */
export const CODES: readonly [what: string, code: string][] = [
  ['a loop', 'for (;;);'],
  ['a loop in native functions', 'const a = "x".repeat(1e6); for (;;) a.indexOf("y")'],
  ['texts', 'const a = []; for (;;) a.push("x".repeat(1e6) + a.length)'],
  ['typed arrays', 'const a = []; for (;;) a.push(new Uint8Array(1e6))'],
  ['a large result', 'return Array(19000).fill("x".repeat(70))'],
  ['a result that is too large', 'return "x".repeat(2 ** 24)'],
  ['promises', 'for (;;) await 0'],
  ['recursion', 'const f = () => [1].map(f); return f()'],
];

/** Lists templates that take as long as possible to parse or to render. */
export const TEMPLATES: readonly [what: string, template: string][] = [
  ['a loop of loops', '{% for a in (1..9999) %}{% for b in (1..9999) %}{% endfor %}{% endfor %}'],
  [
    'a growing list',
    `{% assign x = ${PAYLOAD}.a %}${'{% assign x = x | concat: x %}'.repeat(12)}{{ x | join }}`,
  ],
  ['sorting', `{% for a in (1..9999) %}{% assign x = ${PAYLOAD}.a | sort %}{% endfor %}`],
  ['splitting', `{% for a in (1..9999) %}{% assign x = ${PAYLOAD}.text | split: "" %}{% endfor %}`],
  [
    'replacing',
    `{% for a in (1..9999) %}{% assign x = ${PAYLOAD}.text | replace: "a", "b" %}{% endfor %}`,
  ],
  ['the slowest search', `{{ ${PAYLOAD}.text | replace: ${PAYLOAD}.needle, "x" }}`],
  [
    'the slowest replacement',
    `{% for a in (1..9999) %}{% assign x = ${PAYLOAD}.text | replace: ${PAYLOAD}.middle, "x" %}{% endfor %}`,
  ],
  ['a date', `{{ "2026-01-01" | date: "%${'0'.repeat(15_000)}" }}`],
  ['many filters', `{{ ${PAYLOAD}.text ${repeat('| upcase ', 15_000)} }}`],
  ['many values', `{% cycle ${repeat('1,', 15_000)}1 %}`],
  ['many outputs', '{{a}}'.repeat(1999)],
  ['too many outputs', '{{a}}'.repeat(40_000)],
  ['unknown names', repeat('{{ unknown_name_of_a_step }}', 15_000)],
  ['open tags', '{%'.repeat(100_000)],
  ['open brackets', `{{ ${'a['.repeat(100_000)} }}`],
  ['line ends', '{{a}}\n'.repeat(2000)],
];
