import { Injectable } from '@nestjs/common';
import { Batcher } from '../../batching/batcher.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError } from '../../errors/app-error.js';
import { LargePayloadsService } from '../payloads/large-payloads.service.js';
import { contactIn, PayloadContactsService } from '../triggers/payload-contacts.service.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import {
  newBodyKey,
  type RunStart,
  type RunStarted,
  RunStartsService,
} from '../triggers/run-starts.service.js';
import { TriggerFilterService } from '../triggers/trigger-filter.service.js';
import type { VerifiedDelivery } from './webhook-checks.service.js';
import type { Webhook } from './webhook.js';

/** The largest number of bytes of payloads in one statement. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** The smallest weight of a run. It limits a batch to 64 runs, because all of them wait for the same commit. */
const MIN_WEIGHT_BYTES = MAX_BATCH_BYTES / 64;

/**
 * Starts the run of a verified delivery. If the sender sent a key, `RunStartsService` decides by this key whether the
 * delivery is a duplicate. The service refuses the key of an earlier delivery with another body
 * (`idempotency_mismatch`, 422). Without a key, the body decides, if the trigger has `dedupe_seconds`. For a duplicate,
 * `WebhookController` answers 200 with `duplicate: true` and the id of the earlier run.
 */
@Injectable()
export class WebhookStartsService {
  private readonly unlimited = this.batcher(false);
  private readonly limited = this.batcher(true);

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly contacts: PayloadContactsService,
    private readonly filter: TriggerFilterService,
    private readonly runs: RunStartsService,
    private readonly largePayloads: LargePayloadsService,
    private readonly workflows: WorkflowsRepository,
  ) {}

  /**
   * Stores the run and resolves once it is committed. Resolves to `skipped` when the condition of the trigger is false.
   * Resolves to `changed`, and stores nothing, when the workflow has changed since the look-up of the webhook. The
   * caller must then look the webhook up and check the delivery again, because the secret may have been replaced. A
   * separate transaction is needed only for a condition, for a search for an earlier run of the same body, and for a
   * large payload. It is also needed to find out why the batch stored no run.
   */
  async start(
    webhook: Webhook,
    delivery: VerifiedDelivery,
  ): Promise<RunStarted | 'skipped' | 'changed'> {
    const isAlone = webhook.condition !== undefined || delivery.dedupeSeconds !== undefined;
    if (!isAlone && !delivery.large) {
      const runId = await this.startInBatch(webhook, delivery);
      if (runId !== undefined) return { runId, duplicate: false };
    }
    try {
      return await this.startAlone(webhook, delivery);
    } catch (error) {
      // The workflow was changed, deactivated or deleted during the transaction. The next look-up shows which.
      if (error instanceof AppError && error.code === 'not_found') return 'changed';
      throw error;
    }
  }

  /**
   * Stores the run in a transaction of its own. Throws `not_found` when the workflow changes during the transaction.
   */
  private async startAlone(
    webhook: Webhook,
    delivery: VerifiedDelivery,
  ): Promise<RunStarted | 'skipped' | 'changed'> {
    const { organizationId, workflowId, revision, condition } = webhook;
    const { payload, large } = delivery;
    return await this.tenants.transaction(organizationId, async () => {
      // Without this check, a delivery that is signed with a replaced secret would get the id of an earlier run: the run
      // that has the key of the delivery.
      if (!(await this.workflows.hasRevision(organizationId, workflowId, revision))) {
        return 'changed';
      }
      const earlier = await this.findDuplicate(webhook, delivery);
      if (earlier !== null) return { runId: earlier, duplicate: true };
      const contactId = await this.contacts.find(organizationId, payload);
      const start = { ...startOf(webhook, delivery), contactId, revision };
      const readable = large
        ? this.largePayloads.readable(organizationId, payload, large)
        : payload;
      const started = await this.filter.start(organizationId, start, readable, condition);
      if (started && !started.duplicate && large) {
        await this.largePayloads.store(organizationId, started.runId, large.whole);
      }
      if (started) return started;
      // The look-up comes after the evaluation. Otherwise, the run of a simultaneous delivery with this key could
      // commit between the two and make the condition false, and this delivery would not get the id of that run.
      return (await this.runs.findDuplicateByKey(organizationId, start)) ?? 'skipped';
    });
  }

  /**
   * Stores the run by one statement, together with deliveries to the same organization that arrive at the same moment.
   * Returns the id of the run once it is committed. Returns undefined when no run was stored, because the workflow has
   * changed or the key is not new. Throws `unavailable` when it is unknown whether the run was stored.
   */
  async startInBatch(webhook: Webhook, delivery: VerifiedDelivery): Promise<string | undefined> {
    const { organizationId, revision, isLimited } = webhook;
    const start = { ...startOf(webhook, delivery), ...contactIn(delivery.payload), revision };
    try {
      const batcher = isLimited ? this.limited : this.unlimited;
      const { result, index } = await batcher.add(organizationId, start);
      return result[index];
    } catch (error) {
      // The commit may have succeeded although the connection broke. A second attempt could start the run twice.
      if (error instanceof AppError && error.code === 'unavailable') throw error;
      // Another delivery may have made the statement fail. The statement was rolled back, so this delivery can be tried
      // alone.
      return undefined;
    }
  }

  /**
   * Returns the id of the run that an earlier delivery with the same body started, or null. Compares bodies only when
   * the workflow has `dedupe_seconds`.
   */
  private async findDuplicate(
    { organizationId, workflowId }: Webhook,
    { dedupeSeconds, bodyHash }: VerifiedDelivery,
  ): Promise<string | null> {
    if (dedupeSeconds === undefined) return null;
    return await this.runs.findDuplicateByBody(organizationId, workflowId, bodyHash, dedupeSeconds);
  }

  private batcher(isLimited: boolean): Batcher<RunStart, (string | undefined)[]> {
    return new Batcher(
      (organizationId, starts) => this.runs.startBatch(organizationId, starts, isLimited),
      {
        maxWeight: MAX_BATCH_BYTES,
        weigh: ({ payload }) => Math.max(payload.length, MIN_WEIGHT_BYTES),
      },
    );
  }
}

/** Returns the start of the delivery. `dedupeSeconds` is set only for a delivery without a sender's key. */
function startOf({ workflowId }: Webhook, delivery: VerifiedDelivery) {
  const { payloadBytes, large, bodyHash, dedupeSeconds, request } = delivery;
  const dedupeKey = dedupeSeconds === undefined ? delivery.dedupeKey : newBodyKey(bodyHash);
  return {
    workflowId,
    triggerType: 'webhook',
    payload: payloadBytes,
    ...(large && { largePayload: { nonce: large.nonce, bytes: large.bytes } }),
    request,
    bodyHash,
    dedupeKey,
  } as const;
}
