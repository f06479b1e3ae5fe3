import type { Pool } from 'pg';

/**
 * Ignores the errors of connections while they are in use. Without this, such an error would end the process, because a
 * pool listens to the errors of idle connections only. The next statement on a broken connection fails.
 */
export function ignoreErrorsInUse(pool: Pool): void {
  const ignore = (): void => undefined;
  pool.on('acquire', (client) => client.on('error', ignore));
  pool.on('release', (_, client) => client.off('error', ignore));
}
