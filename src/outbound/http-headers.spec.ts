import { describe, expect, it } from 'vitest';
import { AppError } from '../errors/app-error.js';
import { readHeaders, retryAfterSeconds } from './http-headers.js';

describe(readHeaders, () => {
  it('accepts valid headers and returns them by lowercase name', () => {
    expect(readHeaders({ Authorization: 'Bearer secret', 'X-': '' })).toEqual({
      authorization: 'Bearer secret',
      'x-': '',
    });
  });

  it('writes numbers as text', () => {
    expect(readHeaders({ 'X-A': 7, 'X-B': 1e21 })).toEqual({
      'x-a': '7',
      'x-b': '1000000000000000000000',
    });
  });

  it.each<[object, string]>([
    [{ Host: 'internal' }, 'headers.Host must not be set.'],
    [{ 'Transfer-Encoding': 'chunked' }, 'headers.Transfer-Encoding must not be set.'],
    [{ 'content-length': '0' }, 'headers.content-length must not be set.'],
    [{ 'Idempotency-Key': 'x' }, 'headers.Idempotency-Key must not be set.'],
    [{ 'Proxy-Authorization': 'x' }, 'headers.Proxy-Authorization must not be set.'],
    [{ 'X-A': 'secret\r\nHost: internal' }, 'headers.X-A is not a valid HTTP header.'],
    [{ 'X-A': 'secret\n' }, 'headers.X-A is not a valid HTTP header.'],
    [{ 'X-A': 'secret\u0100' }, 'headers.X-A is not a valid HTTP header.'],
    [{ 'X A': 'secret' }, 'headers.X A is not a valid HTTP header.'],
    [{ 'X-A:': 'secret' }, 'headers.X-A: is not a valid HTTP header.'],
    [{ '': 'secret' }, 'headers is not a valid HTTP header.'],
    [{ 'X-A': true }, 'headers.X-A must be text.'],
    [{ 'X-A': ['secret'] }, 'headers.X-A must be text.'],
    [{ 'X-A': '1', 'x-a': '2' }, 'headers.x-a must be given once.'],
    [{ 'X-A': 'x'.repeat(8190) }, 'headers must be at most 8192 characters.'],
    [
      Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`x-${i}`, ''])),
      'headers must be at most 50.',
    ],
  ])('rejects %j and does not quote its value', (given, message) => {
    let thrown: unknown;
    try {
      readHeaders(given);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(AppError);
    expect((thrown as AppError).message).toBe(message);
    expect(JSON.stringify(thrown)).not.toContain('secret');
  });
});

const NOW = Date.parse('2030-01-01T00:00:00Z');

describe(retryAfterSeconds, () => {
  it.each([
    ['0', 0],
    ['7', 7],
    [' 120 ', 120],
    ['2.0', 2],
    ['1.5', 2],
    ['86400', 3600],
    ['999999999', 3600],
    ['Tue, 01 Jan 2030 00:00:30 GMT', 30],
    ['Mon, 31 Dec 2029 00:00:00 GMT', 0],
    ['Tue, 01 Jan 2130 00:00:00 GMT', 3600],
    ['', undefined],
    ['soon', undefined],
    ['9'.repeat(400), undefined],
    [undefined, undefined],
  ])('reads %j as %j', (header, seconds) => {
    expect(retryAfterSeconds(header, NOW)).toBe(seconds);
  });
});
