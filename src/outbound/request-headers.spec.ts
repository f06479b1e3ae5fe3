import { describe, expect, it } from 'vitest';
import { AppError } from '../errors/app-error.js';
import { readHeaders } from './request-headers.js';

describe(readHeaders, () => {
  it('takes what HTTP can carry, by names in small letters', () => {
    expect(readHeaders({ Authorization: 'Bearer secret', 'X-': '' })).toEqual({
      authorization: 'Bearer secret',
      'x-': '',
    });
  });

  it.each<[object, string]>([
    [{ Host: 'internal' }, 'headers.Host must not be set.'],
    [{ 'Transfer-Encoding': 'chunked' }, 'headers.Transfer-Encoding must not be set.'],
    [{ 'content-length': '0' }, 'headers.content-length must not be set.'],
    [{ 'Idempotency-Key': 'x' }, 'headers.Idempotency-Key must not be set.'],
    [{ 'Proxy-Authorization': 'x' }, 'headers.Proxy-Authorization must not be set.'],
    [{ 'X-A': 'secret\r\nHost: internal' }, 'headers.X-A is not possible in HTTP.'],
    [{ 'X-A': 'secret\n' }, 'headers.X-A is not possible in HTTP.'],
    [{ 'X-A': 'secret\u0100' }, 'headers.X-A is not possible in HTTP.'],
    [{ 'X A': 'secret' }, 'headers.X A is not possible in HTTP.'],
    [{ 'X-A:': 'secret' }, 'headers.X-A: is not possible in HTTP.'],
    [{ '': 'secret' }, 'headers is not possible in HTTP.'],
    [{ 'X-A': 7 }, 'headers.X-A must be text.'],
    [{ 'X-A': ['secret'] }, 'headers.X-A must be text.'],
    [{ 'X-A': '1', 'x-a': '2' }, 'headers.x-a is there twice.'],
    [{ 'X-A': 'x'.repeat(8190) }, 'headers must be at most 8192 characters.'],
    [
      Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`x-${i}`, ''])),
      'headers must be at most 50.',
    ],
  ])('refuses %j without its value', (given, message) => {
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
