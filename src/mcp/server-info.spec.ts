import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SERVER_INFO } from './server-info.js';

it('presents the version of the package', () => {
  const file = new URL('../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  expect(SERVER_INFO.version).toBe(version);
});
