import type { PoolClient, QueryResult } from 'pg';
import { type Last, type Part, PipelinedQuery } from './pipelined-query.js';
import type { PreparedStatements } from './prepared-statements.js';

const COMMIT: Part = {
  name: 'switchboard_commit',
  text: 'commit',
  values: [],
  check: (_, command) => {
    // The server says so, and no more, where a statement failed and the work has swallowed that.
    if (command !== 'COMMIT') throw new Error('A statement failed, so nothing could be committed.');
  },
};

/**
 * Sends the statements of one transaction. What begins it travels with the first of them: each way to the server and
 * back costs more than most statements.
 */
export class Statements {
  /** What has kept the transaction from beginning, or from getting on although nobody may have been told. */
  private failure?: Error;
  private begun = false;

  constructor(
    private readonly client: PoolClient,
    private readonly prepared: PreparedStatements,
    private beginning: readonly Part[],
    /** The server commits what it is sent without being asked to. */
    private readonly commitsUnasked: boolean,
  ) {}

  /** False as long as nothing can have happened on the server. */
  get hasBegun(): boolean {
    return this.begun;
  }

  /** Carries out `parts` and then the statement. Throws what became of any of them. */
  async query(
    parts: readonly Part[],
    text: string,
    values: readonly unknown[] | undefined,
  ): Promise<QueryResult> {
    if (values && values.length > 0) {
      const last: Last = { text, values: [...values] };
      const name = this.prepared.nameOf(text);
      return (await this.send(parts, name === undefined ? last : { ...last, name }))!;
    }
    // Without values there may be several statements in one text, which only travel alone.
    await this.carryOut(parts);
    return await this.client.query(text);
  }

  /** Carries out `parts`, and throws what became of them, or of what was sent before. */
  async carryOut(parts: readonly Part[]): Promise<void> {
    if (parts.length + this.beginning.length > 0 || this.failure) await this.send(parts);
  }

  /** Commits after `parts`, on the same way where none of them has to be looked at before. */
  async commit(parts: readonly Part[]): Promise<void> {
    // Before the transaction has begun, a connection that fails may be replaced; after a commit nobody could tell.
    if (!this.begun || parts.some(({ check }) => check)) {
      await this.carryOut(parts);
      await this.send([COMMIT]);
    } else await this.send([...parts, COMMIT]);
  }

  private async send(parts: readonly Part[], last?: Last): Promise<QueryResult | undefined> {
    if (this.failure) throw this.failure;
    const beginning = this.beginning;
    this.beginning = [];
    const query = new PipelinedQuery([...beginning, ...parts], last);
    this.client.query(query);
    try {
      const result = await query.done;
      this.begun = true;
      return result;
    } catch (error) {
      if (query.completed >= beginning.length && beginning.length > 0) this.begun = true;
      // It may have been carried out, and committed, although nothing has come back.
      if (this.commitsUnasked && query.wasSent) this.begun = true;
      // Nothing may follow as if that had been done.
      if (!query.reachedLast) this.failure = error as Error;
      throw error;
    }
  }
}
