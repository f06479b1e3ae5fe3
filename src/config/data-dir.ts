import { resolve } from 'node:path';

/** Where embedded data lives unless `DATA_DIR` says otherwise: a place that the user running Switchboard may write. */
export function defaultDataDir(): string {
  // Not below root's home: PostgreSQL runs as another user then, to whom that home is closed.
  return process.getuid?.() === 0 ? '/var/lib/switchboard' : resolve('.data');
}
