import type { Switchboard } from './switchboard.js';

/**
 * Lets tools of a test rename organizations, which is the simplest change of a row. The tenant role normally may not do
 * this.
 */
export async function allowRenaming(switchboard: Switchboard): Promise<void> {
  const { user } = switchboard.access.tenant;
  await switchboard.ownerQuery(`grant select, update (name) on organizations to ${user}`);
}

/** Lets SQL of a test end its own connection, which the tenant role normally may not do. */
export async function allowEndingSessions(switchboard: Switchboard): Promise<void> {
  const end = 'function pg_terminate_backend(integer, bigint)';
  const { user } = switchboard.access.tenant;
  await switchboard.ownerQuery(`grant execute on ${end} to ${user}`);
}
