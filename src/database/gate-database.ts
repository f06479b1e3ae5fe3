import { Pool, type PoolConfig } from 'pg';
import { mapDatabaseError } from './database-error.js';

/**
 * What must be asked before an organization is known: who owns a key, which run is due. Its role reaches the
 * functions and tables of the schema `gate` and no table of any organization.
 */
export class GateDatabase {
  readonly pool: Pool;

  constructor(config: PoolConfig, onError: (error: Error) => void) {
    this.pool = new Pool(config);
    // Without a listener, a server that goes away while a connection is idle would end the process.
    this.pool.on('error', onError);
  }

  /** Calls a function of the schema `gate` and returns its rows. */
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
   * Calls a function of one `bytea` or `text` once for each of the values, in one statement. Each row tells at
   * `position` which value it is of, counted from 0.
   */
  async callForEach<Row extends object>(
    name: string,
    values: readonly Buffer[] | readonly string[],
    type: 'bytea' | 'text' = 'bytea',
  ): Promise<(Row & { position: number })[]> {
    assertName(name);
    return await this.query<Row & { position: number }>(
      `gate_${name}_for_each`,
      `select given.number::int - 1 as position, found.*
       from unnest($1::${type}[]) with ordinality as given (value, number), gate.${name}(given.value) as found`,
      [values],
    );
  }

  private async query<Row extends object>(
    name: string,
    text: string,
    values: readonly unknown[],
  ): Promise<Row[]> {
    try {
      return (await this.pool.query<Row>({ name, text, values: [...values] })).rows;
    } catch (error) {
      throw mapDatabaseError(error);
    }
  }
}

function assertName(name: string): void {
  if (!/^[a-z_]+$/.test(name)) throw new Error('Not the name of a gate function.');
}
