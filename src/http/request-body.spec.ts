import { Readable } from 'node:stream';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { Request } from 'express';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../errors/app-error.js';
import { recordAccess, TRUSTED_MS } from './request-access.js';
import { parseJson, readRawBody } from './request-body.js';

const codeOf = (body: Uint8Array | string): string => {
  try {
    parseJson(Buffer.from(body));
  } catch (error) {
    return (error as AppError).code;
  }
  return 'parsed';
};

describe(parseJson, () => {
  it.each([
    ['an object', '{}', 'parsed'],
    ['an empty body', '', 'invalid_json'],
    ['a syntax error', '{bad', 'invalid_json'],
    ['a trailing comma', '{"a":1,}', 'invalid_json'],
    ['a byte that is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'invalid_json'],
    ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'invalid_json'],
    ['64 levels', `${'['.repeat(64)}${']'.repeat(64)}`, 'parsed'],
    ['65 levels', `${'['.repeat(65)}${']'.repeat(65)}`, 'too_complex'],
    ['100,000 levels', '['.repeat(100_000) + ']'.repeat(100_000), 'too_complex'],
    ['10,000 members', `[${'0,'.repeat(9_999)}0]`, 'parsed'],
    ['10,001 members', `[${'0,'.repeat(10_000)}0]`, 'too_complex'],
  ])(
    'accepts only JSON in UTF-8 of at most 64 levels and 10,000 members: %s',
    (_name, body, expected) => {
      expect(codeOf(body)).toBe(expected);
    },
  );

  it('refuses a text with too many members without parsing it, because the values would fill the memory', () => {
    const parse = vi.spyOn(JSON, 'parse');
    expect(codeOf(`[${'{},'.repeat(20_000)}{}]`)).toBe('too_complex');
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  it('accepts 10,000 empty lists, although their commas and brackets are counted before the text is parsed', () => {
    expect(codeOf(`[${'[],'.repeat(9_999)}[]]`)).toBe('parsed');
  });
});

describe(readRawBody, () => {
  const MIB = 1024 * 1024;
  // All bodies of the tests share these bytes, so that the tests need little memory.
  const BYTES = Buffer.alloc(MIB - 1);

  afterEach(() => vi.restoreAllMocks());

  /** Sends 1 MiB without the last byte from an address. Returns what the reader throws, and a function that ends it. */
  const sendSlowly = (remoteAddress: string): { error: () => unknown; stop: () => void } => {
    let error: unknown;
    const stream = new Readable({ read: () => undefined });
    stream.push(BYTES);
    const request = Object.assign(stream, { headers: {}, socket: { remoteAddress } });
    readRawBody(request as unknown as Request, MIB, () => undefined).catch((thrown: unknown) => {
      error = thrown;
    });
    return { error: () => error, stop: () => stream.destroy() };
  };

  it('refuses the oldest body of the network with the most arriving bytes, when 256 MiB of bodies are arriving', async () => {
    const other = sendSlowly('192.0.2.1');
    const bodies = Array.from({ length: 300 }, () => sendSlowly('192.0.2.2'));
    await vi.waitFor(() => expect(bodies[0]!.error()).toMatchObject({ code: 'unavailable' }));
    await turnOfEventLoop();
    const refused = bodies.map(({ error }) => error() !== undefined);
    // 256 bodies of 1 MiB without their last bytes are allowed, and one of them came from the other network.
    expect(refused).toEqual(bodies.map((_, index) => index < 300 - 255));
    expect(other.error()).toBeUndefined();
    for (const { stop } of [other, ...bodies]) stop();
  });

  /** Reads a body whose turn takes so long, and whose key is revoked before the turn. */
  const readDuring = async (waitMs: number): Promise<string> => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const headers = { 'content-length': '2' };
    const request = Object.assign(Readable.from([Buffer.from('{}')]), { headers });
    recordAccess(request as unknown as Request, now, () => {
      throw new AppError('unauthenticated', 'The key was revoked.');
    });
    const body = await readRawBody(request as unknown as Request, 10, async () => {
      now += waitMs;
      await Promise.resolve();
    });
    return body.toString();
  };

  it('refuses a body whose key is revoked while the body waits for its turn', async () => {
    await expect(readDuring(TRUSTED_MS + 1)).rejects.toThrow('revoked');
  });

  it('does not look the key up again after a short wait', async () => {
    expect(await readDuring(TRUSTED_MS)).toBe('{}');
  });
});
