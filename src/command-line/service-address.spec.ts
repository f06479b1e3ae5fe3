import { describe, expect, it } from 'vitest';
import { isUnencrypted, parseAddress, shownAddress } from './service-address.js';

describe(parseAddress.name, () => {
  it.each([
    [undefined, 'http://127.0.0.1:3000'],
    ['', 'http://127.0.0.1:3000'],
    ['https://switchboard.example/', 'https://switchboard.example'],
    ['https://example.com/switchboard//', 'https://example.com/switchboard'],
  ])('reads %j as %s', (text, address) => {
    expect(shownAddress(parseAddress(text))).toBe(address);
  });

  it.each([
    ['nonsense', 'The address is not a URL.'],
    ['127.0.0.1:3000', 'The address is not a URL.'],
    ['ftp://127.0.0.1', 'The address is not a URL.'],
    ['http://127.0.0.1:3000/api/mcp', 'service only: http://127.0.0.1:3000.'],
    ['http://127.0.0.1:3000?key=1', 'more than a host and a path.'],
  ])('refuses %s', (text, message) => {
    expect(() => parseAddress(text)).toThrow(message);
  });

  it('shows no password of an address in its error', () => {
    expect(() => parseAddress('https://me:hidden@example.com')).toThrow(
      /to https:\/\/example\.com\.$/,
    );
  });
});

describe(isUnencrypted.name, () => {
  it.each([
    ['http://127.0.0.1:3000', false],
    ['http://localhost:3000', false],
    ['http://[::1]:3000', false],
    ['https://switchboard.example', false],
    ['http://switchboard.example', true],
    ['http://127.0.0.1.example', true],
    ['http://10.0.0.5:3000', true],
  ])('returns for %s: %s', (address, expected) => {
    expect(isUnencrypted(new URL(address))).toBe(expected);
  });
});
