import { resolve } from 'node:path';

/** Where embedded data lives unless `DATA_DIR` says otherwise: a place that the user running Switchboard may write. */
export function defaultDataDir(): string {
  // Root's own folders are often closed to the unprivileged user that PostgreSQL must run as.
  return process.getuid?.() === 0 ? '/var/lib/switchboard' : resolve('.data');
}
