import { describe, expect, it } from 'vitest';
import { parseOutboundProxy } from './outbound-proxy.js';

describe('parseOutboundProxy', () => {
  it.each<[string, object]>([
    ['http://proxy.internal:3128', { host: 'proxy.internal', port: 3128 }],
    ['http://10.0.0.9/', { host: '10.0.0.9', port: 80 }],
    ['http://[::1]:8080', { host: '::1', port: 8080 }],
    [
      'http://ada:p%40ss%3A@proxy:3128',
      { host: 'proxy', port: 3128, authorization: `Basic ${btoa('ada:p@ss:')}` },
    ],
  ])('reads %s', (text, expected) => {
    expect(parseOutboundProxy(text)).toEqual(expected);
  });

  it.each([
    'proxy:3128',
    'https://proxy:3128',
    'socks5://proxy:1080',
    'http://proxy:0',
    'http://proxy/path',
    'http://proxy?x=1',
    'http://a:%zz@proxy',
    '',
  ])('refuses "%s"', (text) => {
    expect(parseOutboundProxy(text)).toBeUndefined();
  });
});
