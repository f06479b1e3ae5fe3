import { Batcher } from '../batching/batcher.js';
import { isConnectionError } from './database-error.js';
import type { GateDatabase } from './gate-database.js';

/**
 * Finds rows of any organization by a value, with a function of the gate. Look-ups at the same moment share one
 * statement, which begins after all these look-ups have arrived. When this statement fails although the connection was
 * not lost, each value is looked up alone. So a row that causes an error does not make the look-ups of other
 * organizations fail.
 */
export class GateLookUps<Value extends Buffer | string, Row extends object> {
  private readonly batches = new Batcher<Value, ReadonlyMap<string, Row> | undefined>((_, values) =>
    this.findTogether(values),
  );

  constructor(
    private readonly gate: Pick<GateDatabase, 'callForEach'>,
    private readonly name: string,
    private readonly type: 'bytea' | 'text',
  ) {}

  async find(value: Value): Promise<Row | undefined> {
    const { result } = await this.batches.add('', value);
    return (result ?? (await this.findEach([value]))).get(nameOf(value));
  }

  /** Returns undefined when each value must be looked up alone. */
  private async findTogether(
    values: readonly Value[],
  ): Promise<ReadonlyMap<string, Row> | undefined> {
    const distinct = [...new Map(values.map((value) => [nameOf(value), value])).values()];
    try {
      return await this.findEach(distinct);
    } catch (error) {
      const isLost = isConnectionError(error) || isConnectionError((error as Error).cause);
      if (distinct.length === 1 || isLost) throw error;
      return undefined;
    }
  }

  private async findEach(values: readonly Value[]): Promise<ReadonlyMap<string, Row>> {
    const rows = await this.gate.callForEach<Row>(
      this.name,
      values as readonly Buffer[] | readonly string[],
      this.type,
    );
    return new Map(rows.map((row) => [nameOf(values[row.position]!), row]));
  }
}

function nameOf(value: Buffer | string): string {
  return typeof value === 'string' ? value : value.toString('latin1');
}
