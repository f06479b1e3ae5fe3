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
    if (!/^[a-z_]+$/.test(name)) throw new Error('Not the name of a gate function.');
    const parameters = values.map((_, index) => `$${index + 1}`).join(', ');
    try {
      const result = await this.pool.query<Row>({
        name: `gate_${name}_${values.length}`,
        text: `select * from gate.${name}(${parameters})`,
        values: [...values],
      });
      return result.rows;
    } catch (error) {
      throw mapDatabaseError(error);
    }
  }
}
