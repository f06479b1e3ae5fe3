import type { Pool } from 'pg';

/**
 * Keeps a connection that breaks in use from ending the process: a pool listens to the errors of idle connections only.
 * The next statement on the connection fails.
 */
export function ignoreErrorsInUse(pool: Pool): void {
  const ignore = (): void => undefined;
  pool.on('acquire', (client) => client.on('error', ignore));
  pool.on('release', (_, client) => client.off('error', ignore));
}
