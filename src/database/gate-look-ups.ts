import { Batcher } from '../batching/batcher.js';
import { isConnectionError } from './database-error.js';
import type { GateDatabase, GateType, GateValues } from './gate-database.js';

/**
 * Finds rows of any organization by one or more values, with a function of the gate. Look-ups at the same moment share one
 * statement, which begins after all these look-ups have arrived. When this statement fails although the connection was
 * not lost, each row is looked up alone. So a row that causes an error does not make the look-ups of other organizations
 * fail.
 */
export class GateLookUps<Values extends GateValues, Row extends object> {
  private readonly batches = new Batcher<Values, ReadonlyMap<string, Row> | undefined>((_, lists) =>
    this.findTogether(lists),
  );

  /** `types` has the type of each argument of the function. */
  constructor(
    private readonly gate: Pick<GateDatabase, 'callForEach'>,
    private readonly name: string,
    private readonly types: readonly GateType[],
  ) {}

  async find(...values: Values): Promise<Row | undefined> {
    const { result } = await this.batches.add('', values);
    return (result ?? (await this.findEach([values]))).get(nameOf(values));
  }

  /** Returns undefined when each row must be looked up alone. */
  private async findTogether(
    lists: readonly Values[],
  ): Promise<ReadonlyMap<string, Row> | undefined> {
    const distinct = [...new Map(lists.map((values) => [nameOf(values), values])).values()];
    try {
      return await this.findEach(distinct);
    } catch (error) {
      const isLost = isConnectionError(error) || isConnectionError((error as Error).cause);
      if (distinct.length === 1 || isLost) throw error;
      return undefined;
    }
  }

  private async findEach(lists: readonly Values[]): Promise<ReadonlyMap<string, Row>> {
    const rows = await this.gate.callForEach<Row>(this.name, lists, this.types);
    return new Map(rows.map((row) => [nameOf(lists[row.position]!), row]));
  }
}

function nameOf(values: GateValues): string {
  return values
    .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : value))
    .join('\u0000');
}
