import { Pool, type PoolConfig } from 'pg';
import { mapDatabaseError } from './database-error.js';
import { ignoreErrorsInUse } from './ignore-errors-in-use.js';
import type { StatementLog } from './statement-log.js';
import { ConnectionShares } from './transactions/connection-shares.js';

export type GateType = 'bytea' | 'text';
/** The values of one call of a function. */
export type GateValues = readonly (Buffer | string | null)[];

/**
 * Calls the functions of the gate, before an organization is known. Its database role cannot read tables of
 * organizations.
 */
export class GateDatabase {
  readonly pool: Pool;
  /** The connections for statements that may wait for locks of an organization: at most half of all connections. */
  private readonly shares: ConnectionShares;
  /** The connection for statements that one client can cause thousands of times. */
  private readonly clientShares: ConnectionShares;

  constructor(
    config: PoolConfig,
    onError: (error: Error) => void,
    private readonly log: StatementLog,
  ) {
    this.pool = new Pool(config);
    // Without a listener, a server that stops while a connection is idle would end the process.
    this.pool.on('error', onError);
    ignoreErrorsInUse(this.pool);
    const { max, connectionTimeoutMillis } = this.pool.options;
    this.shares = new ConnectionShares(Math.floor(max / 2), connectionTimeoutMillis!);
    this.clientShares = new ConnectionShares(1, connectionTimeoutMillis!);
  }

  async call<Row extends object>(name: string, values: readonly unknown[]): Promise<Row[]> {
    assertName(name);
    const parameters = values.map((_, index) => `$${index + 1}`).join(', ');
    return await this.query<Row>(
      `gate_${name}_${values.length}`,
      `select * from gate.${name}(${parameters})`,
      values,
    );
  }

  /**
   * Calls a function that may wait for a lock of the owner: an organization, or one kind of its calls. At any time, each
   * owner runs at most one of these calls, and all of these calls together use half of the connections. So a lock of one
   * organization does not delay the look-ups of keys and sessions, or the claims of workers. Throws `unavailable` when
   * the call has no connection in time.
   */
  callFor<Row extends object>(
    owner: string,
    name: string,
    values: readonly unknown[],
  ): Promise<Row[]> {
    return this.callInTurn<Row>(this.shares, owner, name, values);
  }

  /**
   * Calls a fast function that one client can cause thousands of times. The owner is the network of a stranger, an
   * organization, or one kind of its calls. All of these calls together use one connection, and owners take turns.
   * Throws `unavailable` as {@link callFor} does.
   */
  callForClient<Row extends object>(
    owner: string,
    name: string,
    values: readonly unknown[],
  ): Promise<Row[]> {
    return this.callInTurn<Row>(this.clientShares, owner, name, values);
  }

  /** Calls a function with its own time limit, which is longer than the limit of other statements. */
  async callSlow(name: string, values: readonly unknown[], timeoutMs: number): Promise<void> {
    assertName(name);
    const client = await this.pool.connect().catch((error: unknown) => {
      throw mapDatabaseError(error);
    });
    let failure: Error | undefined;
    try {
      const parameters = values.map((_, index) => `$${index + 1}`).join(', ');
      await client.query('begin');
      await client.query(`select set_config('statement_timeout', $1, true)`, [String(timeoutMs)]);
      await client.query(`select gate.${name}(${parameters})`, [...values]);
      await client.query('commit');
    } catch (error) {
      failure = mapDatabaseError(error);
      throw failure;
    } finally {
      // A connection that failed is closed, because its transaction may still be open.
      client.release(failure);
    }
  }

  /**
   * Calls a function once for each list of values, in one statement. `types` has the type of each value of a list.
   * `position` of a row is the index of its list.
   */
  async callForEach<Row extends object>(
    name: string,
    lists: readonly GateValues[],
    types: readonly GateType[],
  ): Promise<(Row & { position: number })[]> {
    assertName(name);
    const columns = types.map((_, index) => `value_${index}`).join(', ');
    const arrays = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ');
    return await this.query<Row & { position: number }>(
      `gate_${name}_for_each`,
      `select given.number::int - 1 as position, found.*
       from unnest(${arrays}) with ordinality as given (${columns}, number), gate.${name}(${columns}) as found`,
      types.map((_, index) => lists.map((values) => values[index])),
    );
  }

  private async callInTurn<Row extends object>(
    shares: ConnectionShares,
    owner: string,
    name: string,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const wait = shares.take(owner);
    if (wait) await wait;
    try {
      return await this.call<Row>(name, values);
    } finally {
      shares.release(owner);
    }
  }

  private async query<Row extends object>(
    name: string,
    text: string,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const answer = this.pool.query<Row>({ name, text, values: [...values] });
    this.log.add([{ name, text }], answer);
    try {
      return (await answer).rows;
    } catch (error) {
      throw mapDatabaseError(error);
    }
  }
}

function assertName(name: string): void {
  if (!/^[a-z_]+$/.test(name)) throw new Error('The gate has no such function.');
}
