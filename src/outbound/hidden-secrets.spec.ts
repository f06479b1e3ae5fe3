import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HiddenSecrets, type SearchSteps } from './hidden-secrets.js';
import { SecretSearches } from './secret-searches.js';

const hidden = (...secrets: string[]): HiddenSecrets =>
  new HiddenSecrets(new Map(secrets.map((secret, index) => [secret, `s${index}`])));

const searches = new SecretSearches();
const find = async <T>(
  steps: SearchSteps<T>,
  signal = new AbortController().signal,
  organizationId = 'org_1',
): Promise<T> => await searches.run({ organizationId, signal }, steps);

/** Ten secrets, and a text with every kind of escape, for which all decoders and searches run. */
const SECRETS = Array.from({ length: 10 }, (_, at) => `${'+'.repeat(4000)} ${at}`);
const TEXT = Buffer.from('+%2B\\u002b'.repeat(6000));

describe(HiddenSecrets.name, () => {
  it('leaves no secret in any text, and finds the same places in bytes', async () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), maxLength: 40 });
    const secret = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 4, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(part),
        fc.array(secret, { maxLength: 3 }),
        async (parts, secrets) => {
          const text = parts.join(secrets[0] ?? '');
          const shown = hidden(...secrets).inText(text);
          const rest = shown.split(/\[secret s\d\]/);
          for (const one of secrets) expect(rest.some((piece) => piece.includes(one))).toBe(false);
          if (!secrets.some((one) => text.includes(one))) expect(shown).toBe(text);
          const bytes = await find(hidden(...secrets).searchBytes(Buffer.from(text)));
          expect(bytes.toString()).toBe(shown);
        },
      ),
    );
  });

  it('does not search for secrets in the text that replaces another secret', () => {
    expect(hidden('xxxx', 'secret').inText('a xxxx b secret')).toBe('a [secret s0] b [secret s1]');
  });

  it('hides overlapping secrets as one place', () => {
    expect(hidden('abcdef', 'efgh').inText('1abcdefgh2')).toBe('1[secret s0]2');
    expect(hidden('aaaa').inText('b' + 'a'.repeat(1_000_000))).toBe('b[secret s0]');
  });

  it.each([
    ['percent-encoded', encodeURIComponent],
    [
      'percent-encoded with small letters',
      (text: string) => encodeURIComponent(text).toLowerCase(),
    ],
    ['partly percent-encoded', (text: string) => encodeURIComponent(text).replaceAll('%2F', '/')],
    [
      'with more characters percent-encoded',
      (text: string) => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&'),
    ],
    ['in a form', (text: string) => new URLSearchParams({ '': text }).toString().slice(1)],
    ['in a query in a query', (text: string) => encodeURIComponent(encodeURIComponent(text))],
    ['in JSON', (text: string) => JSON.stringify(text).slice(1, -1)],
    ['in JSON of PHP', (text: string) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/')],
    [
      'in JSON with \\u',
      (text: string) =>
        [...text.matchAll(/[^]/g)]
          .map(([unit]) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join(''),
    ],
    ['in JSON in JSON', (text: string) => JSON.stringify(JSON.stringify(text)).slice(3, -3)],
    [
      'in a query in JSON',
      (text: string) => encodeURIComponent(text).replaceAll('%2F', '\\/').toLowerCase(),
    ],
    ['in JSON in a query', (text: string) => encodeURIComponent(JSON.stringify(text).slice(1, -1))],
  ])('hides a secret that is %s', async (_case, encode) => {
    for (const secret of [
      'abc+/=:',
      'a b"c\\d',
      'é😀x/',
      'a%2b+c',
      "it's ok!",
      '----?',
      'ab1~cd2_e.f-g',
      "(a*b)'!",
    ]) {
      const text = `é https://a.example/?k=${encode(secret)}&x=1%`;
      const shown = 'é https://a.example/?k=[secret s0]&x=1%';
      expect(hidden(secret).inText(text)).toBe(shown);
      expect((await find(hidden(secret).searchBytes(Buffer.from(text)))).toString()).toBe(shown);
    }
  });

  it('hides secrets in the texts, names and numbers of a value, and leaves its other parts', async () => {
    const other = { list: [1, 'a', null, true], long: '%2B'.repeat(300_000) };
    const value = {
      other,
      texts: ['x a%2Bb/c x', 'a%2Bb%2Fc'.repeat(9000)],
      '1234': 51_234,
      numbers: [1.234e21, 1e300, -1.234e-9, 12, null],
    };
    const shown = await find(hidden('a+b/c', '1234').searchValue(value));
    expect(shown).toEqual({
      other,
      texts: ['x [secret s0] x', '[secret s0]'.repeat(9000)],
      '[secret s1]': '5[secret s1]',
      numbers: [`[secret s1]${'0'.repeat(18)}`, 1e300, '-0.00000000[secret s1]', 12, null],
    });
    expect((shown as { other: object }).other).toBe(other);
    const parsed: unknown = JSON.parse('{"__proto__":{"a+b/c":[]},"b":{}}');
    expect(JSON.stringify(await find(hidden('a+b/c').searchValue(parsed)))).toBe(
      '{"__proto__":{"[secret s0]":[]},"b":{}}',
    );
  });

  it.each<[string, unknown, string]>([
    ['names', Object.fromEntries(Array.from({ length: 9000 }, (_, at) => [`n${at}`, 1])), 'n5000'],
    ['large numbers', Array.from({ length: 9000 }, (_, at) => (at + 1) * 1e300), '5001'],
    ['small values', Array<boolean>(900_000).fill(true), '5001'],
    ['repeated names', Array.from({ length: 90_000 }, (_, at) => ({ n: at })), '5001'],
  ])('divides a search in %s into short steps', async (_what, value, secret) => {
    const steps = hidden(secret).searchValue(value);
    let count = 0;
    for (let step = steps.next(); !step.done; step = steps.next()) count += 1;
    expect(count).toBeGreaterThan(3000);
  });

  it.each([
    ['bytes', () => hidden(...SECRETS).searchBytes(TEXT)],
    ['one long text', () => hidden(...SECRETS).searchValue(TEXT.toString())],
    [
      'many short texts',
      () => hidden(...SECRETS).searchValue(Array.from({ length: 3000 }, (_, at) => `%2B${at}%2B`)),
    ],
  ])('divides the work of many searches into short steps, in %s', (_case, start) => {
    // Each byte is compared with two texts of each of the ten secrets, in seven decoded streams.
    const comparisons = TEXT.length * 10 * 2 * 7;
    expect([...start()].length).toBeGreaterThan(comparisons / 65_536 / 4);
  });

  it('takes turns with the searches of other organizations', async () => {
    const ended: string[] = [];
    const search = async (organizationId: string, bytes: Buffer): Promise<void> => {
      await find(hidden(...SECRETS).searchBytes(bytes), undefined, organizationId);
      ended.push(organizationId);
    };
    await Promise.all([
      ...[1, 2, 3].map(() => search('org_1', TEXT)),
      search('org_2', TEXT.subarray(0, 30_000)),
    ]);
    expect(ended).toEqual(['org_2', 'org_1', 'org_1', 'org_1']);
  });

  it('stops a search when its call ends', async () => {
    const call = new AbortController();
    const steps = hidden(...SECRETS).searchBytes(TEXT);
    let count = 0;
    const counted = (function* (): SearchSteps<Buffer> {
      for (;;) {
        const step = steps.next();
        if (step.done) return step.value;
        if (++count === 3) call.abort(new Error('ended'));
        yield;
      }
    })();
    await expect(find(counted, call.signal)).rejects.toThrow('ended');
    expect(steps.next().done).toBe(false);
  });

  it('refuses a text in which all searches together find too many places', async () => {
    const secrets = Array.from({ length: 10 }, (_, at) => `+${at}/+`);
    const text = secrets.map((secret) => secret.repeat(1500)).join('%2B\\u002b');
    await expect(find(hidden(...secrets).searchValue([text]))).rejects.toThrow('10000 times');
  });

  it('does not change escapes outside of secrets, and counts each place once', () => {
    const text = '%2B \\u002b \\"x\\" 100% \\ud83d \\q %zz %2';
    expect(hidden('a+b/c').inText(text)).toBe(text);
    expect(hidden('a+b/').inText('a+b/ '.repeat(10_000))).toHaveLength(10_000 * 12);
  });

  it('does not hide a short secret', () => {
    expect(hidden('abc').inText('abc')).toBe('abc');
  });

  it('refuses a response with too many places', async () => {
    const text = 'xxxx '.repeat(10_001);
    expect(hidden('xxxx').inText(text.slice(5))).toHaveLength(10_000 * 12);
    expect(() => hidden('xxxx').inText(text)).toThrow('more than 10000 times');
    await expect(find(hidden('xxxx').searchBytes(Buffer.from(text)))).rejects.toThrow(
      'more than 10000 times',
    );
  });
});
