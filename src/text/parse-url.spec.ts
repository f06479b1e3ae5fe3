import { describe, expect, it } from 'vitest';
import { isUrl, parseUrl } from './parse-url.js';

const BASE = 'https://api.example.com/list';
/** A host in Unicode that is longer than DNS allows. */
const LONG = '一'.repeat(300);
const ESCAPED = encodeURIComponent('一'.repeat(100));

describe(parseUrl, () => {
  it.each([
    `https://${LONG}.com/`,
    `HTTP://${LONG}`,
    `https:${LONG}`,
    `https:/${LONG}`,
    `https://///${LONG}/`,
    `https:\\\\${LONG}\\`,
    ` \u0001https://${LONG}/`,
    `ht\ntps:/\t/${LONG}/`,
    `https://${'一\t'.repeat(300)}/`,
    `https://user@${LONG}/`,
    `https://${'@'.repeat(2000)}a.com/`,
    `https://${LONG}:8443/`,
    `https://${LONG}?x`,
    `https://${LONG}#x`,
    `https://${ESCAPED}.com/`,
    `https://${'a'.repeat(2000)}/`,
    `https://${'a.'.repeat(200)}com/`,
    `https://${'\ufdfa'.repeat(100)}.com/`,
    `wss://${LONG}/`,
    `ftp://${LONG}/`,
    `file://${LONG}/x`,
    `blob:https://${LONG}/`,
    `blob: blob:https://${LONG}/`,
    `//${LONG}/`,
    `\\\\${LONG}\\`,
    `/\t/${LONG}/`,
    ` ////${LONG}/`,
    `/${'x'.repeat(100_000)}`,
    `/${'一'.repeat(40_000)}`,
    `/${'一'.repeat(20_000)}`,
  ])('refuses a host or a URL that is too long %#', (text) => {
    expect(parseUrl(text, BASE)).toBeUndefined();
  });

  it.each([
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://b%C3%BCcher.example/', 'https://xn--bcher-kva.example/'],
    [`https://${'a.'.repeat(124)}com/`, `https://${'a.'.repeat(124)}com/`],
    [`https://${'t'.repeat(700)}@a.example/`, `https://${'t'.repeat(700)}@a.example/`],
    [`/${'一'.repeat(8192)}`, `https://api.example.com/${'%E4%B8%80'.repeat(8192)}`],
    [`?q=${LONG}`, `${BASE}?q=${'%E4%B8%80'.repeat(300)}`],
    [`#//${LONG}`, `${BASE}#//${'%E4%B8%80'.repeat(300)}`],
    [`file:///${LONG}`, `file:///${'%E4%B8%80'.repeat(300)}`],
    ['//other.example', 'https://other.example/'],
    ['mailto:ada@example.com', 'mailto:ada@example.com'],
    [`data:text/plain,${'x'.repeat(50_000)}`, `data:text/plain,${'x'.repeat(50_000)}`],
  ])('parses other URLs as Node.js does %#', (text, href) => {
    expect(parseUrl(text, BASE)?.href).toBe(href);
  });

  it('returns a URL that it can parse again', () => {
    const { href } = parseUrl(`/${'一'.repeat(8192)}`, BASE)!;
    expect(parseUrl(href)?.href).toBe(href);
  });

  it.each(['', '/path', 'https://', 'https://a b/'])('returns undefined for %j', (text) => {
    expect(parseUrl(text)).toBeUndefined();
  });
});

describe(isUrl, () => {
  it('returns true for an absolute URL', () => {
    expect([isUrl('https://a.example'), isUrl('a.example')]).toEqual([true, false]);
  });
});
