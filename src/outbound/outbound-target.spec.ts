import { describe, expect, it } from 'vitest';
import { parseTarget } from './outbound-target.js';

describe(parseTarget, () => {
  it('returns the parts of a URL that a request needs', () => {
    expect(parseTarget('https://Example.com/a%20b?c=d#e')).toEqual({
      isTls: true,
      host: 'example.com',
      isAddress: false,
      port: 443,
      authority: 'example.com',
      path: '/a%20b?c=d',
    });
    expect(parseTarget('http://[2606:4700::1111]:8080')).toEqual({
      isTls: false,
      host: '2606:4700::1111',
      isAddress: true,
      port: 8080,
      authority: '[2606:4700::1111]:8080',
      path: '/',
    });
  });

  it.each([
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://127.0.0.1./',
    'http://①②⑦.⓪.⓪.①/',
    'http://127。0。0。1/',
    'http://%31%32%37.0.0.1/',
    'http:\\\\127.0.0.1\\',
    'http:127.0.0.1',
    'http://127.0.0.1\t/',
  ])('recognizes the loopback address in %s', (url) => {
    expect(parseTarget(url)).toMatchObject({ host: '127.0.0.1', isAddress: true });
  });

  it.each([
    ['', 'must be an absolute URL'],
    ['/path', 'must be an absolute URL'],
    ['//example.com', 'must be an absolute URL'],
    ['http://', 'must be an absolute URL'],
    ['http://a b/', 'must be an absolute URL'],
    ['http://[fe80::1%25eth0]/', 'must be an absolute URL'],
    ['http://example.com:99999/', 'must be an absolute URL'],
    ['http://256.256.256.256/', 'must be an absolute URL'],
    ['file:///etc/passwd', 'must begin with http:// or https://'],
    ['gopher://127.0.0.1:6379/_x', 'must begin with http:// or https://'],
    ['ftp://example.com/', 'must begin with http:// or https://'],
    ['data:text/plain,x', 'must begin with http:// or https://'],
    ['unix:/var/run/docker.sock', 'must begin with http:// or https://'],
    ['http://user@example.com/', 'must not contain a user or a password: send a header instead'],
    ['http://:secret@example.com/', 'must not contain a user or a password: send a header instead'],
    [
      'http://example.com@127.0.0.1/',
      'must not contain a user or a password: send a header instead',
    ],
  ])('rejects %j', (url, message) => {
    expect(() => parseTarget(url)).toThrow(
      expect.objectContaining({ code: 'invalid_arguments', details: [{ path: 'url', message }] }),
    );
  });
});
