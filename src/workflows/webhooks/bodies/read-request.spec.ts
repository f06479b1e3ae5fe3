import { describe, expect, it } from 'vitest';
import { HIDDEN_HEADERS } from '../../definitions/webhook-headers.js';
import { PRESETS } from '../signatures/verify-preset.js';
import { readRequest } from './read-request.js';

const receivedAt = new Date('2030-01-31T09:00:00Z');
const read = (headers: Record<string, string>, query = '', names: string[] = []) =>
  readRequest({ method: 'POST', headers, query, receivedAt }, names);

describe('the request that expressions see', () => {
  it('has the usual headers and the headers that the trigger names', () => {
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'curl',
      'x-request-id': '1',
      'x-github-event': 'push',
      authorization: 'Bearer a',
      cookie: 'a=b',
    };
    expect(read(headers, '', ['x-github-event', 'x-absent'])).toEqual({
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'curl',
        'x-request-id': '1',
        'x-github-event': 'push',
      },
      query: {},
      received_at: '2030-01-31T09:00:00.000Z',
    });
  });

  it('has a list for a field that the query has several times', () => {
    expect(read({}, 'a=1&b=x+y&b=%C3%BC&c').query).toEqual({ a: '1', b: ['x y', 'ü'], c: '' });
  });

  it('keeps a field called __proto__ as a field, and not as the prototype', () => {
    const { query } = read({}, '__proto__=1');
    expect(Object.keys(query)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(query)).toBe(Object.prototype);
  });

  it('leaves out a header of more than 1 KiB, and all headers after the first 8 KiB', () => {
    const long = 'x'.repeat(1024);
    expect(read({ 'x-a': long }, '', ['x-a']).headers).toEqual({ 'x-a': long });
    expect(read({ 'x-a': `${long}x` }, '', ['x-a']).headers).toEqual({});
    const names = Array.from({ length: 12 }, (_, index) => `x-${index}`);
    const many = Object.fromEntries(names.map((name) => [name, long]));
    expect(Object.keys(read(many, '', names).headers)).toHaveLength(7);
  });

  it('is refused with a query that is not UTF-8, or that has more than 8 KiB or 1,000 fields', () => {
    expect(() => read({}, 'a'.repeat(8193))).toThrow('more than 8192 bytes');
    expect(() => read({}, 'a&'.repeat(1001))).toThrow('more than 1000 fields');
    expect(() => read({}, 'a=%ff')).toThrow('not UTF-8');
  });

  it('never has a header with the signature of a provider', () => {
    for (const { header } of Object.values(PRESETS)) expect(HIDDEN_HEADERS).toContain(header);
  });
});
