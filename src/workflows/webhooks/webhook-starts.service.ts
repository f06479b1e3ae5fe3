import { Injectable } from '@nestjs/common';
import { Batcher } from '../../batching/batcher.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError } from '../../errors/app-error.js';
import { contactIn, PayloadContactsService } from '../triggers/payload-contacts.service.js';
import {
  type RunStart,
  type RunStarted,
  RunStartsService,
} from '../triggers/run-starts.service.js';
import { TriggerFilterService } from '../triggers/trigger-filter.service.js';
import type { VerifiedDelivery } from './webhook-checks.service.js';
import type { Webhook } from './webhook.js';

/** The most bytes of payloads in one statement. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** Bounds a batch to 64 runs, because all of them wait for the same commit. */
const MIN_WEIGHT_BYTES = MAX_BATCH_BYTES / 64;

/** Stores the runs of verified webhook deliveries. */
@Injectable()
export class WebhookStartsService {
  private readonly batches = new Batcher<RunStart, (string | undefined)[]>(
    (organizationId, starts) => this.runs.startBatch(organizationId, starts),
    MAX_BATCH_BYTES,
    ({ payload }) => Math.max(payload.length, MIN_WEIGHT_BYTES),
  );

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly contacts: PayloadContactsService,
    private readonly filter: TriggerFilterService,
    private readonly runs: RunStartsService,
  ) {}

  /**
   * Stores the run and resolves once it is committed, to `skipped` when the condition of the trigger does not hold. A
   * transaction is needed only where a condition or limits are evaluated, or where the statement of the batch stored no
   * run, so that the reason must be found.
   */
  async start(webhook: Webhook, delivery: VerifiedDelivery): Promise<RunStarted | 'skipped'> {
    const { organizationId, condition, isLimited } = webhook;
    if (condition === undefined && !isLimited) {
      const runId = await this.startInBatch(webhook, delivery);
      if (runId !== undefined) return { runId, duplicate: false };
    }
    const { payload } = delivery;
    return await this.tenants.transaction(organizationId, async () => {
      const contactId = await this.contacts.find(organizationId, payload);
      const start = { ...startOf(webhook, delivery), contactId };
      const allowed = await this.filter.apply(organizationId, start, payload, condition);
      return allowed ? await this.runs.start(organizationId, allowed) : 'skipped';
    });
  }

  /**
   * Stores the run by one statement that commits by itself, together with deliveries to the same organization that arrive
   * at the same moment. Returns the id of the run. Returns undefined when no run was stored, because the workflow is not
   * as `webhook` says any more, or the key is not new. Throws `unavailable` when it is unknown whether the run was stored.
   */
  async startInBatch(webhook: Webhook, delivery: VerifiedDelivery): Promise<string | undefined> {
    const { organizationId, revision } = webhook;
    const start = { ...startOf(webhook, delivery), ...contactIn(delivery.payload), revision };
    try {
      const { result, index } = await this.batches.add(organizationId, start);
      return result[index];
    } catch (error) {
      // The commit may have succeeded although the connection broke. To start again would start some runs twice.
      if (error instanceof AppError && error.code === 'unavailable') throw error;
      // Another delivery may have made the statement fail. It was rolled back, so this one can be tried alone.
      return undefined;
    }
  }
}

function startOf({ workflowId }: Webhook, { body, bodyHash, dedupeKey }: VerifiedDelivery) {
  return { workflowId, triggerType: 'webhook', payload: body, bodyHash, dedupeKey } as const;
}
