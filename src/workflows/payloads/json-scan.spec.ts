import { describe, expect, it } from 'vitest';
import { JsonScan, type ScannedValue } from './json-scan.js';

const LIMITS = { depth: 64, members: 100_000 };

function scan(text: string, limits = LIMITS, endsAt = Infinity): JsonScan {
  const found = new JsonScan(Buffer.from(text), limits);
  while (!found.run(endsAt));
  return found;
}

function isValid(text: string): boolean {
  try {
    scan(text);
    return true;
  } catch {
    return false;
  }
}

function isParsed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns a function that returns a whole number below its argument. Its numbers are the same in each test run. */
function randomNumbers(): (below: number) => number {
  let state = 7;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, member) => sum + 1 + countMembers(member), 0);
}

describe(JsonScan, () => {
  // prettier-ignore
  const valid = [
    '{}', '[]', '""', '0', '-0', '1.5e-7', 'true', 'false', 'null', ' [ 1 , "a" ] \n', '{"a":{"b":[{},[]]}}',
    '"\\u00fc\\n\\"\\\\"', '{"":0}', '[[],[[]]]', '"ü€😀"', '1E+5', '{"a":1,"a":2}',
  ];
  // prettier-ignore
  const wrong = [
    '', ' ', '{', '}', '[', ']', '[}', '{]', '[1,]', '[,1]', '{"a"}', '{"a":}', '{"a":1,}', '{a:1}', '{1:1}',
    '[1 2]', '01', '1.', '.5', '+1', '1e', 'tru', 'nul', 'NaN', '"a', '"\\x"', '"\\u12"', '"\n"', '"\\', '[] []',
    '{}{}', '[]1', ',', ':', '["a":1]', '{"a",1}', '[1]]', "{'a':1}", '"a""b"', '\u00a0[]', '[1]\u0000',
  ];

  it.each(valid)('accepts %j', (text) => expect(isValid(text)).toBe(true));
  it.each(wrong)('refuses %j', (text) => expect(isValid(text)).toBe(false));

  it('agrees with JSON.parse about randomly changed texts', () => {
    const next = randomNumbers();
    const pieces = '{}[]",:\\ 0123456789.eE+-truefalsn\t\u0001aü'.split('');
    let accepted = 0;
    for (let round = 0; round < 30_000; round += 1) {
      const characters = valid[next(valid.length)]!.split('');
      for (let changes = next(3); changes > 0; changes -= 1) {
        characters.splice(next(characters.length + 1), next(2), pieces[next(pieces.length)]!);
      }
      const text = characters.join('');
      if (isParsed(text)) accepted += 1;
      if (isValid(text) !== isParsed(text)) expect.fail(`differs for ${JSON.stringify(text)}`);
    }
    expect(accepted).toBeGreaterThan(5000);
  });

  it('continues at the position at which the previous turn stopped', () => {
    const value = Array.from({ length: 9000 }, (_, index) => ({ [`a${index}`]: '\\"ü'.repeat(3) }));
    const text = JSON.stringify({ text: 'x\\'.repeat(50_000), value });
    const found = new JsonScan(Buffer.from(text), LIMITS);
    let turns = 1;
    while (!found.run(0)) turns += 1;
    expect(turns).toBeGreaterThan(20);
    expect(found.members).toBe(countMembers(JSON.parse(text)));
    expect(found.values).toEqual(scan(text).values);
  });

  it('records the positions, kinds and numbers of members of large values', () => {
    const list = Array.from({ length: 1000 }, (_, index) => ({ id: index, tags: ['a', 'b'] }));
    const payload = { a: 1, list, inner: { text: 'y'.repeat(5000), small: 'z' } };
    const text = JSON.stringify(payload, null, 1);
    const { values } = scan(text);
    const whole = ({ start, end }: ScannedValue): unknown =>
      JSON.parse(Buffer.from(text).subarray(start, end).toString());
    expect(values.map(({ kind }) => kind)).toEqual(['list', 'text', 'object', 'object']);
    expect(values.map(whole)).toEqual([list, payload.inner.text, payload.inner, payload]);
    expect(values.map(({ members }) => members)).toEqual(
      [list, '', payload.inner, payload].map(countMembers),
    );
    expect(values[0]!.items).toBe(1000);
  });

  it('refuses a text that is nested too deep, has too many members or has too long a number', () => {
    const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect(isValid(deep(64))).toBe(true);
    expect(() => scan(deep(65))).toThrow('nested deeper than 64 levels');
    const limits = { depth: 64, members: 10 };
    expect(() => scan('[1,2,3,4,5,6,7,8,9,10]', limits)).not.toThrow();
    expect(() => scan('[1,2,3,4,5,6,7,8,9,10,11]', limits)).toThrow('more than 10 values');
    expect(() => scan('1'.repeat(1001))).toThrow('a number of more than 1000 characters');
  });

  it('ignores a byte order mark', () => {
    expect(isValid('\ufeff{}')).toBe(true);
  });
});
