import { describe, expect, it } from 'vitest';
import { parseTrustedProxies } from './trusted-proxies.js';

describe(parseTrustedProxies, () => {
  it.each([
    ['', []],
    ['127.0.0.1', ['127.0.0.1']],
    [' 10.0.0.0/8 , 2001:db8::/32,', ['10.0.0.0/8', '2001:db8::/32']],
    ['fc00::/7', ['fc00::/7']],
  ])('accepts %j', (text, networks) => {
    expect(parseTrustedProxies(text)).toEqual(networks);
  });

  it.each([
    '1',
    'true',
    '*',
    'proxy.example',
    'loopback',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/0x8',
    '10.0.0',
    '0.0.0.0/0',
    '::/0',
    '0.0.0.0/1,128.0.0.0/1',
    '::ffff:10.0.0.1',
    'fe80::1%eth0',
    '127.0.0.1;10.0.0.1',
  ])('refuses %j', (text) => {
    expect(parseTrustedProxies(text)).toBeUndefined();
  });
});
