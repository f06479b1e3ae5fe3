import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../text/canonical-json.js';
import { requestOf } from './http-request-identity.js';

describe(requestOf, () => {
  const identity = (given: Record<string, unknown>): string => canonicalJson(requestOf(given));
  const url = 'https://shop.example.com/orders';
  const given = { url, method: 'POST', json: { a: 1, b: 2 }, headers: { 'X-Shop': 'vienna' } };

  it.each<[string, Record<string, unknown>]>([
    ['method', { ...given, method: 'PUT' }],
    ['URL', { ...given, url: `${url}?again` }],
    ['body', { ...given, json: { a: 1, b: 3 } }],
    ['order of the body', { ...given, json: { b: 2, a: 1 } }],
    ['headers', { ...given, headers: { 'X-Shop': 'graz' } }],
    ['set of headers', { url, method: 'POST', json: given.json }],
  ])('returns a different identity for a different %s', (_what, other) => {
    expect(identity(other)).not.toBe(identity(given));
  });

  it.each<[string, Record<string, unknown>]>([
    ['credentials', { ...given, headers: { 'x-shop': 'vienna', Authorization: 'Bearer new' } }],
    ['identifiers of traces', { ...given, headers: { 'X-SHOP': 'vienna', 'X-Request-ID': '1' } }],
  ])('returns the same identity for different %s', (_what, other) => {
    expect(identity(other)).toBe(identity(given));
  });

  it('returns the same identity with and without the default method', () => {
    expect(identity({ url, method: 'GET' })).toBe(identity({ url }));
  });

  it('does not throw for invalid arguments', () => {
    expect(() => identity({ url: 1, headers: 'x', json: [], body: {} })).not.toThrow();
  });
});
