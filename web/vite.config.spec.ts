import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import config from './vite.config.ts';

const { proxy = {} } = config.server!;
/**
 * Returns true when the server of Vite passes the address to the service. Vite reads a name in `proxy` that begins with
 * ^ as a regular expression, and any other name as the beginning of the address.
 */
const isPassed = (address: string): boolean =>
  Object.keys(proxy).some((name) =>
    name.startsWith('^') ? new RegExp(name).test(address) : address.startsWith(name),
  );

describe('the server of npm run dev:web', () => {
  it('serves the sources in web/api itself', () => {
    const sources = readdirSync(join(import.meta.dirname, 'api')).filter((name) =>
      /\.tsx?$/.test(name),
    );
    expect(sources.length).toBeGreaterThan(5);
    expect(sources.filter((name) => isPassed(`/api/${name}`))).toEqual([]);
    expect(isPassed('/api/live/affected-queries.ts?t=1764000000000')).toBe(false);
  });

  it.each(['/api/tools/list_runs', '/api/changes', '/api/contacts/export.csv', '/health'])(
    'passes %s to the service',
    (address) => {
      expect(isPassed(address)).toBe(true);
    },
  );

  it('leaves the header Host as it is, because the service compares it with Origin', () => {
    expect(Object.values(proxy)).toEqual(
      Object.keys(proxy).map(() => expect.objectContaining({ changeOrigin: false }) as object),
    );
  });
});
