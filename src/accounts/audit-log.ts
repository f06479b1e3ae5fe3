import { Injectable } from '@nestjs/common';
import { prepared } from '../database/driver/statement.js';
import { ArgumentSigner } from '../database/transactions/argument-signer.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { Actor } from './account.js';
import type { RequestOrigin } from './request-origin.js';

const INSERT = prepared('audit_log_insert', 'select record_audit($1, $2)');

/** The call that made a change. */
export interface AuditDetails {
  /** The HMAC of the arguments in hexadecimal. */
  readonly argumentsDigest?: string;
  readonly durationMs?: number;
  readonly origin?: RequestOrigin;
}

/**
 * Records who changed what, in the transaction of the change, so that the change and its entry are committed together.
 * `CallRecorder` records calls that were refused or failed.
 */
@Injectable()
export class AuditLog {
  private readonly insert = {
    ...INSERT,
    toValues: (rows: readonly (readonly unknown[])[]) => {
      const entries = `[${rows.flat().join()}]`;
      return [entries, this.signer.sign('audit entries', entries)];
    },
  };

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly signer: ArgumentSigner,
  ) {}

  /** Queues an entry. It is sent together with the next statement, or before the commit. */
  async record(
    organizationId: string,
    actor: Actor,
    action: string,
    subject: string | null,
    { argumentsDigest, durationMs, origin }: AuditDetails = {},
  ): Promise<void> {
    const entry = {
      organization_id: organizationId,
      actor_kind: actor.kind,
      actor_id: actor.id,
      action,
      subject,
      arguments_digest: argumentsDigest,
      duration_ms: durationMs,
      address: origin?.address,
      request_id: origin?.requestId,
      client: origin?.client,
    };
    this.tenants.session(organizationId).defer(this.insert, [JSON.stringify(entry)]);
  }
}
