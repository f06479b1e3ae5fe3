import { describe, expect, it } from 'vitest';
import { parseOutboundAllow } from './outbound-allow.js';

describe(parseOutboundAllow, () => {
  it('parses addresses and ranges, with and without a port', () => {
    expect(parseOutboundAllow('127.0.0.1:8080, 10.0.0.0/8,[::1],[fd00::]/8:9000,*:8443,')).toEqual([
      { range: { address: '127.0.0.1', bits: 32, family: 4 }, port: 8080 },
      { range: { address: '10.0.0.0', bits: 8, family: 4 } },
      { range: { address: '::1', bits: 128, family: 6 } },
      { range: { address: 'fd00::', bits: 8, family: 6 }, port: 9000 },
      { port: 8443 },
    ]);
  });

  it.each([
    'localhost',
    'crm.internal:80',
    '*',
    '*/8:80',
    '10.0.0.0/33',
    '10.0.0',
    '0x7f000001',
    '::1',
    '[10.0.0.1]',
    '[fe80::1%eth0]',
    '[::]/129',
    '10.0.0.1:0',
    '10.0.0.1:65536',
    '10.0.0.1:80:80',
    '10.0.0.1 10.0.0.2',
  ])('refuses %s', (text) => {
    expect(parseOutboundAllow(`127.0.0.1,${text}`)).toBeUndefined();
  });
});
