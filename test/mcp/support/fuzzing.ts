import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { JsonSchema } from '../../../src/tools/schema/json-schema.js';
import { IS_THOROUGH } from '../../support/thorough.js';

/** The number of cases in one run of fast-check, which keeps all cases of a run in memory. */
const CHUNK = 500;
/** The largest number of bytes by which the heap may grow during the last four fifths of the cases. */
const MOST_GROWTH_BYTES = 32 * 1024 * 1024;

/** The number of cases in total. `npm run fuzz` sets a high number. */
export const CASES = Number(process.env.FUZZ_CASES ?? (IS_THOROUGH ? 4000 : 100));
export const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 30);
export const timeoutMs = 120_000 + CASES * 40;
/**
 * True when there are enough cases to detect a leak. With fewer cases, a leak cannot be distinguished from the memory
 * that a start needs.
 */
const WATCHES_MEMORY = CASES >= 20_000;

/** Matches stack traces and the secret of the tool that crashes, which no response may contain. */
export const NO_TRACE = /node_modules|\n\s+at |\.[jt]s:\d+|hunter2/;

export type Id = string | number | null;

/** Runs the property. The error of a failed chunk contains its seed. A run with this seed fails in the same way. */
export async function fuzz<Case>(property: fc.IAsyncProperty<Case>, cases: number): Promise<void> {
  const samples: number[] = [];
  for (let done = 0; done < cases; done += CHUNK) {
    const numRuns = Math.min(CHUNK, cases - done);
    await fc.assert(property, { numRuns, seed: seed + done / CHUNK });
    if (WATCHES_MEMORY) samples.push(heapInUse());
  }
  if (!WATCHES_MEMORY) return;
  const warm = samples[Math.floor(samples.length / 5)]!;
  const last = samples.at(-1)!;
  const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
  process.stdout.write(
    `${cases} cases: ${megabytes(warm)} MB of heap when warm, ${megabytes(last)} MB at the end, ` +
      `at most ${megabytes(Math.max(...samples))} MB\n`,
  );
  expect(last - warm).toBeLessThan(MOST_GROWTH_BYTES);
}

/** Returns the bytes in use after a garbage collection. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // The first garbage collection runs finalizers, and the second one frees their objects.
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

export function assertResponse(body: unknown, id: Id): void {
  expect(body).toMatchObject({ jsonrpc: '2.0' });
  const { error, ...rest } = body as { id: Id; error?: { code: unknown; message: unknown } };
  expect(rest.id).toBe(id);
  expect('result' in rest).toBe(error === undefined);
  if (!error) return;
  expect(error.code).toSatisfy(Number.isInteger);
  // The code -32603 means a bug outside of a tool. No input of a caller may cause such a bug.
  expect(error.code).not.toBe(-32603);
  expect(error.message).toBeTypeOf('string');
}

export const anyValue = fc.jsonValue({ maxDepth: 3 });

/** Generates values that mostly fit the schema. Some strings are taken from `ids`, the ids of stored rows. */
export function valueFor(schema: JsonSchema, ids: readonly string[]): fc.Arbitrary<unknown> {
  const known = [...(schema.enum ?? []), ...(schema.examples ?? [])];
  if (schema.default !== undefined) known.push(schema.default);
  const fitting = [schema.type].flat().map((type) => ofType(type, schema, ids));
  return fc.oneof(
    { weight: 8, arbitrary: fc.oneof(...fitting) },
    { weight: known.length > 0 ? 8 : 0, arbitrary: fc.constantFrom(...known, null) },
    { weight: 1, arbitrary: anyValue },
  );
}

function ofType(
  type: JsonSchema['type'],
  schema: JsonSchema,
  ids: readonly string[],
): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return fc.oneof(
        fc.constantFrom(...ids),
        fc.emailAddress(),
        fc.constantFrom(
          '+4915112345678',
          '2030-01-01T00:00:00Z',
          'de-DE',
          '{{ run.id }}',
          '{% for',
        ),
        fc.string({ unit: 'binary', maxLength: 40 }),
      );
    case 'integer':
    case 'number':
      return fc.oneof(fc.integer({ min: -2, max: 110 }), fc.double());
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valueFor(schema.items ?? {}, ids), { maxLength: 3 });
    case 'object':
      return fc.oneof(
        argumentsFor(schema.properties ?? {}, ids),
        fc.dictionary(
          fc.constantFrom(
            'type',
            'secret',
            'id',
            'tool',
            'arguments',
            'if',
            'then',
            'field',
            'value',
            'operator',
          ),
          fc.oneof(
            fc.constantFrom('webhook', 'manual', 'a', 'search_contacts', 'email', 'in'),
            anyValue,
          ),
        ),
      );
    default:
      return anyValue;
  }
}

/** Generates objects with some of the properties, and sometimes with an unknown property. */
export function argumentsFor(
  properties: Record<string, JsonSchema>,
  ids: readonly string[],
): fc.Arbitrary<object> {
  const fields = Object.entries(properties).map(([name, schema]) => [name, valueFor(schema, ids)]);
  const known = fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: [],
  });
  const unknown = fc.dictionary(
    fc.oneof(fc.constantFrom('__proto__', 'toString'), fc.string()),
    anyValue,
    {
      maxKeys: 2,
    },
  );
  return fc.oneof(
    { weight: 5, arbitrary: known },
    { weight: 1, arbitrary: fc.tuple(known, unknown).map(([a, b]) => ({ ...a, ...b })) },
  );
}

/** Returns the messages of a JSON response or of a stream of events. The JSON-RPC response is the last. */
export async function messagesOf(
  response: Response,
): Promise<{ text: string; messages: unknown[] }> {
  const text = await response.text();
  expect(text).not.toMatch(NO_TRACE);
  if (text === '') return { text, messages: [] };
  if (response.headers.get('content-type') !== 'text/event-stream') {
    expect(response.headers.get('content-type')).toBe('application/json');
    return { text, messages: [JSON.parse(text)] };
  }
  const messages = text
    .split('\n\n')
    .filter((event) => event.startsWith('event: message\n'))
    .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)) as unknown);
  return { text, messages };
}
