import { describe, expect, it } from 'vitest';
import { LiquidSandbox } from '../../../liquid/liquid-sandbox.js';
import type { Expressions } from '../../../liquid/read-expressions.js';
import type { ToolDescriptor } from '../../../tools/registry/registered-tool.js';
import type { JsonSchema } from '../../../tools/schema/json-schema.js';
import { Compatibility, type PinnedVersion } from './compatibility.js';
import type { Step } from '../definition.js';
import { schemaHashes } from './tool-schemas.js';

const TEXT: JsonSchema = { type: 'string' };
const LIQUID = new LiquidSandbox();

interface Shape {
  input?: Record<string, JsonSchema>;
  required?: string[];
  output?: Record<string, JsonSchema>;
  description?: string;
}

function tool(name: string, { input = {}, required, output, description = '' }: Shape = {}) {
  const descriptor: ToolDescriptor = {
    name,
    title: name,
    description,
    inputSchema: {
      type: 'object',
      properties: input,
      ...(required && { required }),
      additionalProperties: false,
    },
    ...(output && {
      outputSchema: { type: 'object', properties: output, additionalProperties: false },
    }),
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
    },
  };
  return [name, descriptor] as const;
}

const build = (...tools: (readonly [string, ToolDescriptor])[]): Compatibility =>
  new Compatibility(new Map(tools), LIQUID);
const saved = (by: Compatibility, steps: Step[]): PinnedVersion => ({
  steps,
  schemas: by.schemasOf(steps),
  looseReferences: by.looseReferences(steps),
});
/** Returns the findings of the new build for steps that the old build has saved. */
const describeFindings = (before: Compatibility, after: Compatibility, steps: Step[]): string[] =>
  after
    .check(saved(before, steps))
    .map(({ effect, step, path, message }) => `${effect} ${step} ${path} ${message}`);

const order = (given: object): Step => ({ id: 'order', tool: 'order', arguments: { ...given } });

describe(Compatibility, () => {
  const before = build(
    tool('order', {
      input: { item: TEXT, speed: { enum: ['slow', 'fast'] }, note: TEXT },
      required: ['item'],
      output: { number: TEXT, total: { type: 'number' } },
    }),
    tool('other', { input: { text: TEXT } }),
  );
  const OUTPUT = { number: TEXT, total: { type: 'number' } satisfies JsonSchema };

  it('reports nothing for unchanged tools and for changed descriptions', () => {
    const steps = [order({ item: 'x' })];
    expect(describeFindings(before, before, steps)).toEqual([]);
    const reworded = build(
      tool('order', {
        description: 'Other words.',
        input: {
          item: { ...TEXT, description: 'Which.', examples: ['a'], title: 'Item' },
          speed: { enum: ['slow', 'fast'] },
          note: TEXT,
        },
        required: ['item'],
        output: { ...OUTPUT, number: { ...TEXT, description: 'Its number.' } },
      }),
    );
    expect(describeFindings(before, reworded, steps)).toEqual([]);
  });

  it('reports a loop, a `set` and a `return` that read a member that a tool no longer returns', () => {
    const after = build(
      tool('order', {
        input: { item: TEXT, speed: { enum: ['slow', 'fast'] }, note: TEXT },
        required: ['item'],
        output: { total: { type: 'number' } },
      }),
    );
    const steps: Step[] = [
      order({ item: 'x' }),
      {
        id: 'each',
        for_each: [1],
        steps: [{ id: 'p', wait: { days: 1 } }],
        output: '{{ order.number }}',
      },
      { id: 'values', set: { of: '{{ order.number }}' } },
      { id: 'end', return: { of: '{{ order.number }}' } },
    ];
    const broken = describeFindings(before, after, steps).filter((one) => one.startsWith('breaks'));
    expect(broken.map((one) => one.split(' ').slice(1, 3).join(' '))).toEqual([
      'each output',
      'values set.of',
      'end return.of',
    ]);
  });

  it('reports the step of a removed tool and suggests a similar tool', () => {
    const after = build(tool('orders'));
    expect(describeFindings(before, after, [order({ item: 'x' })])).toEqual([
      'breaks order tool "order" is not a tool for steps. Did you mean orders?',
    ]);
  });

  it('reports removed, missing and invalid arguments with their paths', () => {
    const after = build(
      tool('order', {
        input: {
          item: { ...TEXT, pattern: '^[A-Z]+$' },
          speed: { enum: ['fast'] },
          currency: TEXT,
          note: { type: 'integer' },
        },
        required: ['item', 'currency'],
        output: OUTPUT,
      }),
    );
    expect(
      describeFindings(before, after, [
        order({ item: 'x', speed: 'slow', note: 'y' }),
        { id: 'fine', tool: 'other', arguments: { text: 'x' } },
      ]),
    ).toEqual([
      'breaks order arguments.item must match ^[A-Z]+$',
      'breaks order arguments.speed must be one of fast',
      'breaks order arguments.note must be of type integer',
      'breaks order arguments.currency is required',
      'breaks fine tool "other" is not a tool for steps. Did you mean order?',
    ]);
    expect(
      describeFindings(before, build(tool('order', { output: OUTPUT })), [order({ item: 'x' })]),
    ).toEqual(['breaks order arguments.item is not known.']);
  });

  it('reports a step as changed when its tool has changed and its arguments are still valid', () => {
    const after = build(
      tool('order', {
        input: { item: { type: 'integer' }, speed: { enum: ['fast'] }, extra: TEXT },
        required: ['item'],
        output: { ...OUTPUT, more: TEXT },
      }),
    );
    expect(
      describeFindings(before, after, [order({ item: '{{ trigger.payload.item }}' })]),
    ).toEqual([
      'changed order tool "order" takes other arguments and returns another result than when the version was saved',
    ]);
  });

  it('checks steps inside other steps', () => {
    const steps: Step[] = [
      {
        id: 'vip',
        if: 'trigger.payload.vip',
        then: [{ ...order({ item: 'x' }), on_error: [{ id: 'sorry', tool: 'other' }] }],
      },
    ];
    const found = build().check(saved(before, steps));
    expect(found.map(({ step }) => step)).toEqual(['order', 'sorry']);
  });

  describe('when a result has lost a member', () => {
    const after = build(
      tool('order', {
        input: { item: TEXT, speed: { enum: ['slow', 'fast'] }, note: TEXT },
        required: ['item'],
        output: { number: TEXT },
      }),
      tool('other', { input: { text: TEXT } }),
    );
    const breaks = (steps: Step[]): string[] =>
      describeFindings(before, after, steps).filter((line) => line.startsWith('breaks'));

    it('reports every expression that reads the member', () => {
      expect(
        breaks([
          order({ item: 'x' }),
          { id: 'text', tool: 'other', arguments: { text: 'Sum: {{ order.total | round }}' } },
          { id: 'maybe', tool: 'other', if: 'order.total > 3' },
          { id: 'big', if: 'order.total > 3', then: [] },
          { id: 'until', wait: { until: '{{ order.total }}' } },
        ]),
      ).toEqual([
        'breaks text arguments.text uses order.total, which order no longer returns',
        'breaks maybe if uses order.total, which order no longer returns',
        'breaks big if uses order.total, which order no longer returns',
        'breaks until wait.until uses order.total, which order no longer returns',
      ]);
    });

    it('does not report existing members, errors, or members that never existed', () => {
      expect(
        breaks([
          order({ item: 'x' }),
          {
            id: 'text',
            tool: 'other',
            arguments: { text: '{{ order.number }} {{ order.error.message }} {{ order.never }}' },
          },
        ]),
      ).toEqual([]);
    });
  });

  it('returns references to missing members, but not to the error of a step', () => {
    const text = '{{ order.number }} {{ order.error.message }} {{ order.never }}';
    const steps = [order({ item: 'x' }), { id: 'text', tool: 'other', arguments: { text } }];
    expect(before.looseReferences(steps)).toEqual(['text order.never']);
  });

  it('checks only the arguments when the earlier schemas are unknown', () => {
    const steps = [
      order({ went: 1 }),
      { id: 'text', tool: 'other', arguments: { text: '{{ order.never }}' } },
    ];
    const found = before.check({ steps, schemas: null, looseReferences: null });
    expect(found.map(({ effect, path }) => `${effect} ${path}`)).toEqual([
      'breaks arguments.went',
      'breaks arguments.item',
    ]);
  });

  it('reports a definition as broken when only a newer release can read it', () => {
    const steps = [{ id: 'odd', something_new: {} }] as unknown as Step[];
    expect(before.check({ steps, schemas: {}, looseReferences: [] })).toMatchObject([
      { effect: 'breaks', path: 'steps' },
    ]);
  });
});

describe(schemaHashes, () => {
  it('returns other hashes for schemas that accept other arguments, even an argument called "description"', () => {
    const shapes: Shape[] = [
      {},
      { input: { a: TEXT } },
      { input: { a: TEXT }, required: ['a'] },
      { input: { a: { ...TEXT, default: 'x' } } },
      { input: { description: TEXT } },
      { input: { title: TEXT } },
      { input: { a: { type: 'array', items: TEXT } } },
      { input: { a: { type: 'array', items: { type: 'integer' } } } },
      { input: { a: { type: 'object', properties: { b: TEXT } } } },
    ];
    const hashes = shapes.map((shape) => schemaHashes(tool('x', shape)[1]).input);
    expect(new Set(hashes).size).toBe(shapes.length);
  });
});

describe('the references of a checked definition', () => {
  it('are taken from the check, which has read all expressions', () => {
    const steps: Step[] = [
      order({}),
      { id: 'text', tool: 'order', arguments: { x: '{{ order.never }}' }, if: 'order.other' },
    ];
    const known = [tool('order', { output: { id: TEXT } })] as const;
    const unread: Expressions = {
      references: () => expect.unreachable(),
      conditionReferences: () => expect.unreachable(),
      reading: () => expect.unreachable(),
      conditionReading: () => expect.unreachable(),
    };
    const checked = { ...unread, references: LIQUID.references.bind(LIQUID) };
    checked.conditionReferences = LIQUID.conditionReferences.bind(LIQUID);
    expect(new Compatibility(new Map(known), unread).looseReferences(steps, checked)).toEqual([
      'text order.other',
      'text order.never',
    ]);
  });
});
