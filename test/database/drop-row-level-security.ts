import { expect } from 'vitest';
import type { Switchboard } from '../support/switchboard.js';

/** Removes row-level security, to test whether the conditions of the repositories are sufficient. */
export async function dropRowLevelSecurity(switchboard: Switchboard): Promise<void> {
  const tables = await switchboard.ownerQuery<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relrowsecurity`,
  );
  expect(tables.length).toBeGreaterThan(5);
  for (const { name } of tables) {
    await switchboard.ownerQuery(`alter table ${name} disable row level security`);
  }
}
