import { afterAll, describe, expect, it } from 'vitest';
import { AppError } from '../errors/app-error.js';
import { TimeBudgets } from '../turns/time-budgets.js';
import { CodeSandbox } from './code-sandbox.js';
import { CodeThreads } from './code-threads.js';

/**
 * A time limit that only endless code exceeds. It is long, because a thread may take seconds to start on a busy
 * machine.
 */
const LONG_SECONDS = 60;
const threads = new CodeThreads(new TimeBudgets(() => 0));
const sandbox = new CodeSandbox(true, threads, LONG_SECONDS * 1000);
const NOW = new Date('2026-05-04T10:20:30.400Z');
let organizations = 0;

afterAll(() => sandbox.close());

async function run(code: string, input: object = {}, seconds = LONG_SECONDS): Promise<unknown> {
  // Each run has an organization of its own, so that no organization has used up its processor time.
  organizations += 1;
  const given = { code, input, now: NOW, seconds };
  return JSON.parse(await sandbox.run(`org_${organizations}`, given));
}

async function errorOf(code: string, seconds?: number): Promise<AppError> {
  const error: unknown = await run(code, {}, seconds).catch((thrown: unknown) => thrown);
  if (!(error instanceof AppError)) throw new Error(`No AppError: ${String(error).slice(0, 100)}`);
  return error;
}

describe('code', () => {
  it('returns a value that it computes from its input', async () => {
    const code = `
      const total = input.items.reduce((sum, { price }) => sum + price, 0);
      return { total, names: input.items.map((item) => item.name) };`;
    const items = [
      { name: 'é\u0000\u2028"', price: 2 },
      { name: '{{ b }}', price: 0.5 },
    ];
    expect(await run(code, { items })).toEqual({ total: 2.5, names: items.map((one) => one.name) });
  });

  it('has the result null when it returns nothing or a function', async () => {
    expect(await run('')).toBeNull();
    expect(await run('return')).toBeNull();
    expect(await run('return () => 1')).toBeNull();
  });

  it('waits for promises that settle', async () => {
    const code = 'const all = await Promise.all([1, Promise.resolve(2)]); return all';
    expect(await run(code)).toEqual([1, 2]);
    expect((await errorOf('return Promise.reject(new Error("no"))')).message).toContain(
      'Error: no',
    );
  });

  it('fails when it waits for a promise that nothing settles', async () => {
    const { code, message } = await errorOf('await new Promise(() => {})');
    expect(code).toBe('invalid_arguments');
    expect(message).toBe('The code failed: it waits for a promise that nothing settles.');
  });

  it('fails with the message, the line and the column of the thrown error', async () => {
    const { code, message } = await errorOf('const a = 1;\n  throw new TypeError("bad " + a)');
    expect(code).toBe('invalid_arguments');
    expect(message).toMatch(/^The code failed: TypeError: bad 1 \(line 2, column \d+\)\.$/);
    expect((await errorOf('throw "text"')).message).toBe('The code failed: text.');
    expect((await errorOf('throw new Error("x".repeat(1e6))')).message.length).toBeLessThan(1100);
  });

  it('sees a constant time in UTC, and gets equal random numbers in runs with equal times', async () => {
    const code =
      'return [Date.now(), new Date().getHours(), new Date(2026, 0, 1).toISOString(), Math.random()]';
    const [now, hours, local, random] = (await run(code)) as unknown[];
    expect([now, hours, local]).toEqual([NOW.getTime(), 10, '2026-01-01T00:00:00.000Z']);
    expect(random).toBe(((await run(code)) as unknown[])[3]);
  });

  it('has no effect on code that runs later', async () => {
    await run('Array.prototype.map = () => 1; globalThis.left = 1; JSON.parse = null; return 1');
    expect(await run('return [typeof left, [1].map((x) => x), typeof JSON.parse]')).toEqual([
      'undefined',
      [1],
      'function',
    ]);
  });
});

describe('code in the sandbox', () => {
  it.each([
    ['the process by a constructor', 'return (() => {}).constructor("return process")()'],
    ['modules', 'return import("node:fs")'],
    ['require', 'return require("node:fs")'],
    ['the network', 'return fetch("http://127.0.0.1")'],
    ['timers', 'return setTimeout(() => 1, 1)'],
    ['the thread', 'return parentPort'],
    ['the memory of WebAssembly', 'return WebAssembly'],
  ])('cannot reach %s', async (_what, code) => {
    expect((await errorOf(code)).message).toMatch(/ReferenceError/);
  });

  it('cannot reach the host through the constructor of `this` or of the input', async () => {
    const code = `const names = ['process', 'require', 'fetch', 'setTimeout', 'console', 'performance'];
      const world = input.constructor.constructor('return this')();
      return names.filter((name) => name in world || name in globalThis)`;
    expect(await run(code)).toEqual([]);
    expect((await errorOf("return this.constructor.constructor('return process')()")).code).toBe(
      'invalid_arguments',
    );
  });
});

describe('endless or costly code', () => {
  it.each([
    ['in an endless loop', 'for (;;);'],
    ['in an endless loop with catch', 'for (;;) { try { for (;;); } catch {} }'],
    ['in endless promises', 'for (;;) await 0'],
    [
      'in endless promises with catch',
      'const f = async () => { for (;;); }; for (;;) { try { await f() } catch {} }',
    ],
    ['in toJSON of its result', 'return { toJSON() { for (;;); } }'],
    ['in a getter of its result', 'return { get a() { for (;;); } }'],
    ['in a proxy', 'return new Proxy({}, { ownKeys() { for (;;); } })'],
    ['in a regular expression', 'return /(a+)+b/.test("a".repeat(60))'],
    ['in a native function', 'const a = "x".repeat(1e6); for (;;) a.indexOf("y")'],
  ])('is stopped %s', async (_what, code) => {
    const { code: kind, message } = await errorOf(code, 0.2);
    expect(`${kind}: ${message}`).toBe('unavailable: The code did not end within 0.2 s.');
  });

  it.each([
    ['texts', 'const a = []; for (;;) a.push("x".repeat(1e6) + a.length)'],
    ['one text', 'let a = "x"; for (;;) a += a + "y"'],
    ['objects', 'const a = []; for (;;) a.push({ a })'],
    ['typed arrays', 'const a = []; for (;;) a.push(new Uint8Array(1e6))'],
    ['one typed array above the limit', 'return new Uint8Array(7e7).length'],
    ['one huge list', 'return Array(1e9).fill(0)'],
  ])('is stopped when it needs too much memory for %s', async (_what, code) => {
    const { code: kind, message } = await errorOf(code);
    expect(kind).toBe('invalid_arguments');
    expect(message).toMatch(/more than 64 MiB of memory|string too long/);
  });

  it.each([
    ['of a function', 'const f = () => f() + 1; return f()'],
    ['through a native function', 'const f = () => [1].map(f); return f()'],
    ['of JSON', 'return JSON.parse("[".repeat(1e6))'],
  ])('is stopped in an endless recursion %s', async (_what, code) => {
    expect((await errorOf(code)).code).toBe('invalid_arguments');
  });
});

describe('a result', () => {
  it.each([
    ['has too many bytes', 'return "é".repeat(1e6)', 'larger than 1572864 bytes'],
    ['is too deep', 'let a = 1; for (let i = 0; i < 99; i++) a = { a }; return a', 'nested deeper'],
    ['has too many values', 'return Array(20001).fill(0)', 'more than 20000 values'],
    ['is circular', 'const a = {}; a.a = a; return a', 'circular'],
    ['is a BigInt', 'return 1n', 'BigInt'],
    ['throws when it is read', 'return { get a() { throw new Error("no") } }', 'Error: no'],
  ])('fails the code when it %s', async (_what, code, expected) => {
    const error = await errorOf(code);
    expect(error.code).toBe('invalid_arguments');
    expect(error.message).toContain(expected);
  });

  it('is an error when the code throws null or a value that cannot be read', async () => {
    const code = 'throw { get message() { throw 1 } }';
    expect((await errorOf(code)).message).toContain('an error that cannot be read');
    expect((await errorOf('throw null')).message).toContain('null');
  });

  // A text that does not fit into the memory of a thread ends the whole process.
  it('has a short description of its error even when the code replaces methods', async () => {
    const long = `'\\u0001'.repeat(20_000_000)`;
    const replaced = `
      Array.prototype.map = () => ({ join: () => ${long} });
      for (const method of ['slice', 'concat']) String.prototype[method] = () => ${long};
      globalThis.String = () => ${long};
      throw new Error('too short')`;
    expect((await errorOf(replaced)).message).toContain('Error: too short');
  });
});

describe('the check of code', () => {
  it('finds syntax errors with line and column, and runs no code', async () => {
    const codes = ['return await 1', 'for (;;);', 'let a = 1;\n  let b = ;', 'import x from "y"'];
    const faults = await sandbox.check('org', codes);
    expect([...faults.keys()]).toEqual(codes.slice(2));
    expect(faults.get(codes[2]!)).toMatch(
      /^is not valid JavaScript: SyntaxError: .* \(line 2, column \d+\)$/,
    );
  });

  it('checks the code of 500 steps together', async () => {
    const codes = Array.from(
      { length: 500 },
      (_, index) => `${'f();'.repeat(100)} return ${index}`,
    );
    const faults = await sandbox.check('many', [...codes, 'a b']);
    expect([...faults.keys()]).toEqual(['a b']);
  });

  it('survives code that is nested too deeply, and checks the code of the other steps', async () => {
    const deep = '('.repeat(60_000);
    const faults = await sandbox.check('org', [deep, 'return 1', 'a b']);
    expect([...faults.keys()]).toEqual([deep, 'a b']);
  });
});

describe('threads', () => {
  it('are at most two, with at most one for each organization, and end when they are idle', async () => {
    const own = new CodeThreads(new TimeBudgets(() => 0), 50);
    const counts: number[] = [];
    const job = { kind: 'run', input: '{}', now: 0, memoryBytes: 1e7 } as const;
    const limits = { bytes: 100, depth: 9, members: 9 };
    const start = async (organizationId: string): Promise<string> => {
      await own.run(organizationId, { ...job, code: 'return 1', milliseconds: 60_000, limits });
      counts.push(own.count);
      return organizationId;
    };
    const ended = new AbortController();
    const endless = { ...job, code: 'for (;;);', milliseconds: 60_000, limits };
    const loop = own.run('busy', endless, ended.signal).catch((error: unknown) => error);
    const later = ['busy', 'busy', 'a', 'a', 'b'].map((name) => start(name));
    // The endless job of the organization `busy` delays the other jobs of `busy`, and no job of another organization.
    await Promise.all(later.slice(2));
    expect(counts).toHaveLength(3);
    const reason = new Error('enough');
    ended.abort(reason);
    expect(await loop).toBe(reason);
    await Promise.all(later);
    expect(Math.max(...counts)).toBe(2);
    await expect.poll(() => own.count).toBe(0);
    await own.close();
  });

  it('end at once when the signal of a job aborts or the sandbox closes', async () => {
    const running = new CodeThreads();
    const own = new CodeSandbox(true, running);
    const aborted = new AbortController();
    const loop = { code: 'for (;;);', input: {}, now: NOW, seconds: 10 };
    const { signal } = aborted;
    // This job starts a thread, so that the next job can begin at once.
    await own.run('a', { ...loop, code: 'return 1' });
    const both = Promise.allSettled([
      own.run('a', { ...loop, signal }),
      own.run('a', { ...loop, signal }),
    ]);
    const others = [own.run('b', loop), own.run('c', loop)].map((each) =>
      each.catch((error: unknown) => (error as AppError).code),
    );
    await new Promise((resolve) => setImmediate(resolve));
    aborted.abort(new Error('enough'));
    for (const { status, reason } of (await both) as PromiseRejectedResult[]) {
      expect([status, String(reason)]).toEqual(['rejected', 'Error: enough']);
    }
    await own.close();
    expect(await Promise.all(others)).toEqual(['unavailable', 'unavailable']);
    await expect(own.run('a', loop)).rejects.toThrow('stopping');
    await expect.poll(() => running.count).toBe(0);
  });

  it('refuse an organization that has used up its processor time', async () => {
    let now = 0;
    const budgets = new TimeBudgets(() => now, 'code steps');
    budgets.spend('a', 10_400);
    const own = new CodeSandbox(true, new CodeThreads(budgets));
    const given = { code: 'return 1', input: {}, now: NOW };
    await expect(own.run('a', given)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await own.run('b', given)).toBe('1');
    now = 2000;
    expect(await own.run('a', given)).toBe('1');
    await own.close();
  });
});

describe('a sandbox that is off', () => {
  it('refuses code with a message that names the setting, and starts no thread', async () => {
    const own = new CodeThreads();
    const off = new CodeSandbox(false, own);
    const given = { code: 'return 1', input: {}, now: NOW };
    await expect(off.run('a', given)).rejects.toThrow(/CODE_STEPS=on/);
    expect(off.refusal).toMatch(/CODE_STEPS=on/);
    expect((await off.check('a', ['a b'])).size).toBe(0);
    expect(own.count).toBe(0);
  });
});
