import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { beginTenant, type TransactionKind } from './begin-tenant.js';
import type { ContextSigner } from './context-signer.js';
import { mapDatabaseError } from '../database-error.js';
import { type Begun, LazyTransaction, markAsBegun, rollback } from './lazy-transaction.js';
import { PreparedStatements } from '../driver/prepared-statements.js';
import { Statements } from '../driver/statements.js';

/** Makes transactions that are bound to an organization. */
export class TransactionFactory {
  private readonly prepared = new PreparedStatements();

  constructor(
    private readonly source: DataSource,
    private readonly signer: ContextSigner,
  ) {}

  /** One that takes a connection, and begins, with its first statement. */
  make(organizationId: string, kind: TransactionKind): LazyTransaction {
    return new LazyTransaction(
      () => this.begin(organizationId, kind),
      () => this.source.createQueryRunner(),
    );
  }

  private async begin(organizationId: string, kind: TransactionKind): Promise<Begun> {
    const runner = this.source.createQueryRunner();
    try {
      const client = (await runner.connect()) as PoolClient & { processID: number };
      const context = this.signer.sign(organizationId, client.processID);
      let now: Date | undefined;
      const beginning = beginTenant(context, kind, (told) => {
        now = told;
      });
      const statements = new Statements(client, this.prepared, beginning, kind === 'write once');
      return { runner: markAsBegun(runner), statements, now: () => now };
    } catch (error) {
      await rollback(runner);
      throw mapDatabaseError(error);
    }
  }
}
