import { afterEach, describe, expect, it, vi } from 'vitest';
import type { HttpRequestInput } from './http-request.inputs.js';
import { requestContent } from './request-content.js';

const contentOf = (given: Partial<HttpRequestInput>) =>
  requestContent(
    { method: 'POST', url: 'https://api.example.com/a', ...given } as HttpRequestInput,
    {},
    new Map(),
  );

describe(requestContent, () => {
  afterEach(() => vi.restoreAllMocks());

  it('adds the fields of a query, and changes no URL without fields', () => {
    const url = 'https://api.example.com/a?x=%20é#part';
    expect(contentOf({ url, query: { 'a b': ['c&d', 'é~'], n: 1e21, none: null } }).url).toBe(
      'https://api.example.com/a?x=+%C3%A9&a+b=c%26d&a+b=%C3%A9%7E&n=1000000000000000000000#part',
    );
    expect(contentOf({ url, query: { none: null } }).url).toBe(
      'https://api.example.com/a?x=%20%C3%A9#part',
    );
  });

  it('refuses a query that is too long, without encoding it', () => {
    const append = vi.spyOn(URLSearchParams.prototype, 'append');
    const encode = vi.spyOn(Buffer, 'from');
    const query = { a: '中'.repeat(8192), b: 1 };
    expect(() => contentOf({ query })).toThrow('query must be at most 8192 characters');
    expect(append).not.toHaveBeenCalled();
    expect(encode.mock.calls.filter(([text]) => text === (query.a as never))).toEqual([]);
  });

  it.each(['query', 'form', 'multipart'])(
    'refuses a long name in %s, without encoding the name',
    (argument) => {
      const encode = vi.spyOn(Buffer, 'from');
      const given = { [argument]: { ['a'.repeat(1001)]: [1, 2] } };
      expect(() => contentOf(given)).toThrow(
        `${argument} must have names of at most 1000 characters`,
      );
      expect(encode).not.toHaveBeenCalled();
    },
  );

  it('writes each line break of a part as CR LF, as HTML forms do', () => {
    const { body } = contentOf({ multipart: { a: 'one\ntwo\rthree\r\n\r\r\n' } });
    expect(body!.toString()).toContain('\r\n\r\none\r\ntwo\r\nthree\r\n\r\n\r\n\r\n--');
  });

  it('refuses a query whose encoded form is too long', () => {
    expect(() => contentOf({ query: { a: '中'.repeat(1000) } })).toThrow('at most 8192 characters');
    expect(contentOf({ query: { a: 'b'.repeat(8189) } }).url).toMatch(/\?a=b{8189}$/);
    expect(() => contentOf({ query: { a: 'b'.repeat(8190) } })).toThrow('at most 8192 characters');
  });

  it('encodes a form without URLSearchParams, which is slow', () => {
    const print = vi.spyOn(URLSearchParams.prototype, 'toString');
    const { body, headers } = contentOf({ form: { 'a b': ['中', "~!'"] } });
    expect(body?.toString()).toBe('a+b=%E4%B8%AD&a+b=%7E%21%27');
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(print).not.toHaveBeenCalled();
  });
});
