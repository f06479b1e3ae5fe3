import type { JsonSchema } from '../../../src/tools/schema/json-schema.js';

/** Holds a value that is as expensive as the limits of a body allow. `path` says where it is in the arguments. */
export interface HostileValue {
  readonly what: string;
  readonly given: Record<string, unknown>;
}

const MEMBERS = 9_800;
const CHARACTERS = 200_000;

const PIECES: Record<string, string> = {
  letters: 'a',
  spaces: ' ',
  quotes: '"',
  backslashes: '\\',
  brackets: '[',
  parentheses: '(',
  digits: '0',
  dots: 'a.',
  ats: 'a@',
  hyphens: '-',
  slashes: '/',
  'line ends': '\n',
  'combining marks': '\u0301',
  emoji: '😀',
  outputs: '{{a}}',
  'open outputs': '{{',
  tags: '{%#%}',
  'open tags': '{%',
  underscores: '_',
  elements: '<b>',
  'open elements': '<link ',
  entities: '&amp;',
};

/** Lists texts that repeat one piece many times, between two characters that patterns usually accept. */
export const HOSTILE_TEXTS: readonly [name: string, text: string][] = Object.entries(PIECES).map(
  ([name, piece]) => [name, `a${piece.repeat(CHARACTERS / piece.length)}!`],
);

const list = (item: (index: number) => unknown): unknown[] =>
  Array.from({ length: MEMBERS }, (_, index) => item(index));

const members = (name: (index: number) => string, value: unknown): object =>
  Object.fromEntries(list((index) => [name(index), value]) as [string, unknown][]);

export const HOSTILE_LISTS: readonly [name: string, value: unknown][] = [
  ['nulls', list(() => null)],
  ['numbers', list((index) => index * 1e300)],
  ['long names', list((index) => `${'n'.repeat(60)}${index}`)],
  ['empty objects', list(() => ({}))],
  ['lists', list(() => [])],
];

export const HOSTILE_OBJECTS: readonly [name: string, value: object][] = [
  ['unknown members', members((index) => `member_${index}`, 1)],
  ['long unknown members', members((index) => `${'name_of_'.repeat(8)}${index}`, null)],
  ['similar members', members((index) => `contact_i${index}`, '')],
  ['nested lists', { a: nested() }],
  ['nested objects', { a: nestedObject() }],
  ['a huge number', { a: 1e308 }],
];

function nested(): unknown {
  let value: unknown = [];
  for (let depth = 0; depth < 60; depth += 1)
    value = list(() => 0)
      .slice(0, 100)
      .concat([value]);
  return value;
}

function nestedObject(): unknown {
  let value: object = {};
  for (let depth = 0; depth < 60; depth += 1) value = { ['k'.repeat(3000)]: value };
  return value;
}

/** Returns hostile arguments for every text, list and object at any depth of a schema of arguments. */
export function hostileArguments(schema: JsonSchema): HostileValue[] {
  const whole = HOSTILE_OBJECTS.map(([name, value]) => ({
    what: name,
    given: value as Record<string, unknown>,
  }));
  const deep = Object.entries(schema.properties ?? {}).flatMap(([key, inner]) =>
    hostileFor(inner).map(([name, value]) => ({
      what: `${key}: ${name}`,
      given: { [key]: value },
    })),
  );
  return [...whole, ...deep];
}

function hostileFor(schema: JsonSchema): [string, unknown][] {
  const types = [schema.type ?? ['string', 'array', 'object']].flat();
  return types.flatMap((type): [string, unknown][] => {
    switch (type) {
      case 'string':
        return [...HOSTILE_TEXTS];
      case 'array':
        return [
          ...HOSTILE_LISTS,
          ...hostileFor(schema.items ?? {})
            .filter(([, value]) => typeof value === 'object')
            .map(([name, value]): [string, unknown] => [`item with ${name}`, [value]]),
          ...repeated(schema.items),
        ];
      case 'object':
        return [
          ...HOSTILE_OBJECTS,
          ...Object.entries(schema.properties ?? {}).flatMap(([key, inner]) =>
            hostileFor(inner).map(([name, value]): [string, unknown] => [
              `${key}: ${name}`,
              { [key]: value },
            ]),
          ),
        ];
      default:
        return [
          ['wrong list', list(() => 0)],
          ['huge number', 1e308],
        ];
    }
  });
}

/** Returns many items, each with a member that is unknown. */
function repeated(items: JsonSchema | undefined): [string, unknown][] {
  if (items?.type !== 'object' && items?.type !== undefined) return [];
  return [
    ['unknown members in items', list((index) => ({ [`name${index}`]: 1 })).slice(0, MEMBERS / 2)],
  ];
}
