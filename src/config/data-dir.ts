import { resolve } from 'node:path';

/** Returns the default of `DATA_DIR`: a directory that the user of this process may write. */
export function defaultDataDir(): string {
  // When this process runs as root, PostgreSQL runs as another user, who cannot enter the home directory of root.
  return process.getuid?.() === 0 ? '/var/lib/switchboard' : resolve('.data');
}
