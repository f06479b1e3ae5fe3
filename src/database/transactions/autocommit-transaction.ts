import type { QueryResult } from 'pg';
import { isConnectionError } from '../database-error.js';
import type { BoundStatement } from '../driver/statement.js';
import { MISTAKES } from './mistakes.js';
import { assertOpen, type StatementSender } from './statement-sender.js';
import { setContext, setReadOnlyContext, type TenantConnections } from './tenant-connections.js';

/**
 * Commits each statement separately, in one round trip. Statements that read are READ COMMITTED. A transaction that may
 * write can send only one statement.
 */
export class AutocommitTransaction implements StatementSender {
  beganAt: Date | undefined;
  version = 0;
  private isOver = false;
  private hasWritten = false;

  constructor(
    private readonly connections: TenantConnections,
    private readonly organizationId: string,
    private readonly readOnly: boolean,
  ) {}

  async query(statement: BoundStatement, isClosed: () => boolean): Promise<QueryResult> {
    assertOpen(this.isOver || isClosed());
    this.connections.assertAllowed(this.organizationId, statement);
    if (this.hasWritten) throw new Error(MISTAKES.secondStatement);
    this.hasWritten = !this.readOnly;
    this.version += 1;
    return await this.send(statement, true);
  }

  defer(): never {
    throw new Error(MISTAKES.deferredAlone);
  }

  end(): void {
    this.isOver = true;
  }

  private async send(statement: BoundStatement, mayRetry: boolean): Promise<QueryResult> {
    const client = await this.connections.acquire(this.organizationId);
    const context = this.connections.sign(client, this.organizationId);
    const onBegin = (now: Date): void => {
      this.beganAt ??= now;
    };
    const bind = this.readOnly ? setReadOnlyContext(context, onBegin) : setContext(context);
    const pipeline = this.connections.send(client, [bind, statement]);
    try {
      const result = await pipeline.done;
      this.connections.release(client);
      return result;
    } catch (error) {
      this.connections.reportFailure(this.organizationId, error);
      const isBroken = isConnectionError(error);
      if (isBroken) this.connections.close(client);
      else this.connections.release(client);
      // A write that was sent may be committed although no response came.
      if (isBroken && mayRetry && (this.readOnly || !pipeline.wasSent)) {
        return await this.send(statement, false);
      }
      throw error;
    }
  }
}
