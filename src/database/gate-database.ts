import { Pool, type PoolConfig } from 'pg';
import { mapDatabaseError } from './database-error.js';

/** Calls the functions of the gate, before an organization is known. Its role cannot read tables of organizations. */
export class GateDatabase {
  readonly pool: Pool;

  constructor(config: PoolConfig, onError: (error: Error) => void) {
    this.pool = new Pool(config);
    // Without a listener, a server that goes away while a connection is idle would end the process.
    this.pool.on('error', onError);
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

  /** Calls a function once for each value, in one statement. `position` of a row is the index of its value. */
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
  if (!/^[a-z_]+$/.test(name)) throw new Error('The gate has no such function.');
}
