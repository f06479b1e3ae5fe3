import type { RunningSwitchboard } from './switchboard.js';
import { waitFor } from './wait-for.js';

/**
 * Waits until no connection of the application is idle in a transaction. Workers have short transactions at any time,
 * so a single check would fail by chance. A transaction that stays open makes the wait fail.
 */
export async function waitForClosedTransactions(switchboard: RunningSwitchboard): Promise<void> {
  await waitFor(async () => {
    const open = await switchboard.ownerQuery(
      `select from pg_stat_activity
       where datname = current_database() and state like 'idle in transaction%'`,
    );
    return open.length === 0;
  });
}
