import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The `redis-server` on the PATH, if there is one. */
export function findRedisServer(): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const candidate = join(folder, 'redis-server');
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Not here.
    }
  }
  return undefined;
}
