import { Client } from 'pg';
import { waitFor } from '../../support/wait-for.js';

const LOCK = 4711;

/**
 * Keeps transactions open at fixed points: a transaction that writes a matching row waits directly after the write,
 * uncommitted, until `release`.
 */
export class HeldTransactions {
  private triggers: string[] = [];

  private constructor(private readonly client: Client) {}

  static async in(databaseUrl: string): Promise<HeldTransactions> {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(`
      create or replace function public.hold_here() returns trigger language plpgsql as $$
      begin
        perform pg_advisory_xact_lock_shared(${LOCK});
        return null;
      end $$`);
    return new HeldTransactions(client);
  }

  /** Makes transactions wait after this action on a row that meets the condition. */
  async hold(action: string, table: string, condition = 'true'): Promise<void> {
    if (this.triggers.length === 0) await this.client.query(`select pg_advisory_lock(${LOCK})`);
    const name = `hold_${this.triggers.length}`;
    await this.client.query(
      `create trigger ${name} after ${action} on public.${table} for each row when (${condition})
       execute function public.hold_here()`,
    );
    this.triggers.push(`${name} on public.${table}`);
  }

  /** Resolves when `count` transactions wait for `release`, or for locks of transactions that wait for `release`. */
  async blocked(count: number): Promise<void> {
    await waitFor(async () => {
      const { rows } = await this.client.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows[0]!.count >= count;
    }, 4000);
  }

  async release(): Promise<void> {
    await this.client.query(`select pg_advisory_unlock(${LOCK})`);
    // Dropping a trigger waits for the transactions that `hold` stopped. They end soon.
    for (const trigger of this.triggers) await this.client.query(`drop trigger ${trigger}`);
    this.triggers = [];
  }

  async close(): Promise<void> {
    if (this.triggers.length > 0) await this.release();
    await this.client.query('drop function public.hold_here()');
    await this.client.end();
  }
}
