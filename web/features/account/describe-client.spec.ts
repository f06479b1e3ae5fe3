import { describe, expect, it } from 'vitest';
import { describeClient } from './describe-client.js';

const MOZILLA = 'Mozilla/5.0';
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('describeClient', () => {
  it.each([
    [`${MOZILLA} (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0`, 'Firefox', 'Linux'],
    [
      `${MOZILLA} (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/150.0 Safari/537.36`,
      'Chrome',
      'Windows',
    ],
    [
      `${MOZILLA} (Windows NT 10.0) ${WEBKIT} Chrome/150.0 Safari/537.36 Edg/150.0`,
      'Edge',
      'Windows',
    ],
    [
      `${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Version/19 Safari/605.1`,
      'Safari',
      'macOS',
    ],
    [
      `${MOZILLA} (iPhone; CPU iPhone OS 19_0 like Mac OS X) ${WEBKIT} Safari/604.1`,
      'Safari',
      'iOS',
    ],
    [
      `${MOZILLA} (Linux; Android 16) ${WEBKIT} Chrome/150.0 Mobile Safari/537.36`,
      'Chrome',
      'Android',
    ],
  ])('finds browser and system in %s', (agent, browser, system) => {
    expect(describeClient(agent)).toEqual({ browser, system });
  });

  it('returns the beginning of an unknown text', () => {
    expect(describeClient('curl/8.5.0')).toEqual({ browser: 'curl' });
    expect(describeClient(`agent ${'x'.repeat(200)}`)).toEqual({
      browser: `agent ${'x'.repeat(34)}`,
    });
  });
});
