import { describe, expect, it } from 'vitest';
import { isPagePath } from './dashboard-paths.js';

describe(isPagePath, () => {
  it.each(['/', '/contacts', '/contacts/8d6c', '/settings/developer', '/apiary', '/runs/a%20b'])(
    'accepts %s',
    (path) => expect(isPagePath(path)).toBe(true),
  );

  it.each([
    '/api',
    '/api/',
    '/API/tools/x',
    '//api/tools',
    '/%61pi/tools',
    '/%2561pi/tools',
    '/%2Fapi',
    '/health/other',
    '/oauth/authorize',
    '/.well-known/oauth-authorization-server',
    '/mcp',
    '/assets/gone-1234.js',
    '/robots.txt',
    '/contacts/../api',
    '/a\\b',
    '/%',
    '/%ff',
  ])('refuses %s', (path) => expect(isPagePath(path)).toBe(false));

  it('accepts a path of 1,024 characters and refuses a longer path', () => {
    expect(isPagePath(`/${'a'.repeat(1023)}`)).toBe(true);
    expect(isPagePath(`/${'a'.repeat(1024)}`)).toBe(false);
  });

  it('accepts a path that is encoded three times and refuses a path that is encoded more often', () => {
    expect(isPagePath('/a%252520b')).toBe(true);
    expect(isPagePath('/a%25252520b')).toBe(false);
  });
});
