import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { assertFound } from '../../errors/app-error.js';
import { RETURNED, type ReturnOutput } from '../definitions/steps/return-step.js';
import type { TriggerRequest } from '../definitions/trigger-request.js';

/** The details of one run besides its row and its steps. */
export interface RunDetails {
  /** The payload, or only its first bytes when it is longer than `maxBytes` or is kept as a file. */
  readonly payload: Buffer;
  readonly payloadBytes: number;
  /** True when the bytes of the payload are a file of the run. */
  readonly hasLargePayload: boolean;
  /** The stored part of the request that started the run, or null. */
  readonly request: TriggerRequest | null;
  readonly stepCount: number;
  /** The journal output of the `return` step that ended the run, or null. */
  readonly returned: ReturnOutput | null;
}

@Injectable()
export class RunDetailsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /**
   * Reads the details of a run in one statement. A payload of more than `maxBytes` is cut to `previewBytes`. Throws
   * `not_found` when there is no such run.
   */
  async get(
    organizationId: string,
    runId: string,
    { maxBytes, previewBytes }: { maxBytes: number; previewBytes: number },
  ): Promise<RunDetails> {
    const [row] = await this.tenants.session(organizationId).query<RunDetails>(
      `select r.request, r.large_payload is not null as "hasLargePayload",
         coalesce((r.large_payload ->> 'bytes')::float8, octet_length(r.payload)) as "payloadBytes",
         case when octet_length(r.payload) <= $3 then r.payload else substring(r.payload from 1 for $4) end as payload,
         (select count(*)::integer from run_steps s
          where s.organization_id = $1 and s.run_id = $2) as "stepCount",
         (select s.output from run_steps s where s.organization_id = $1 and s.run_id = $2
            and starts_with(r.reason, $5) and s.step_id = substr(r.reason, length($5) + 1)) as returned
       from workflow_runs r where r.organization_id = $1 and r.id = $2`,
      [organizationId, runId, maxBytes, previewBytes, RETURNED],
    );
    return assertFound(row ?? null, 'run');
  }
}
