import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { ChangeFeed } from '../../changes/change-feed.js';
import { Env } from '../../config/env.js';
import { SecretBox } from '../../database/secret-box.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { toError } from '../../errors/app-error.js';
import { TokenBuckets } from '../../http/rate-limiter.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import { type DeliveryRecord, deliveryOf } from './delivery-record.js';
import { diagnose } from './signatures/diagnose.js';
import type { SignatureMistake } from './signatures/signature-mistake.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import type { DeliveryKind } from './webhook-delivery.entity.js';
import { deliveryView, type WebhookDeliveriesResult } from './webhook-delivery.results.js';
import { type Webhook, WEBHOOK_PATH } from './webhook.js';

const KEPT_DELIVERIES = 50;
const FLUSH_INTERVAL_MS = 500;
const MAX_QUEUED_WORKFLOWS = 1000;
const MAX_DIAGNOSED_BYTES = 64 * 1024;
const MAX_QUEUED_DIAGNOSES = 100;
const MAX_OTHER_SECRETS = 50;

/** Waits to become a row. Under load, most of the queue is dropped before. */
interface QueuedDelivery {
  webhook: Webhook;
  /** It has a body only if its signature will be diagnosed. */
  record: DeliveryRecord;
  mistakes: SignatureMistake[];
}

interface Queue {
  webhook: Webhook;
  deliveries: Record<DeliveryKind, QueuedDelivery[]>;
}

/**
 * Keeps the log of webhook deliveries. It writes twice a second, after the responses, so a process that dies loses the
 * last deliveries. Whatever strangers send, the log of a workflow has a limited number of rows and writes.
 */
@Injectable()
export class DeliveryLogService implements BeforeApplicationShutdown {
  private readonly logger = new Logger(DeliveryLogService.name);
  private queues = new Map<string, Queue>();
  private queuedDiagnoses = 0;
  private timer?: NodeJS.Timeout;
  private writing?: Promise<void>;
  /** Each workflow has 50 refused deliveries at once, then one a second. */
  private readonly refusals = new TokenBuckets(KEPT_DELIVERIES, 1);
  /** The diagnosis of one signature takes about a hundred hashes. */
  private readonly diagnoses = new TokenBuckets(20, 0.2);

  constructor(
    private readonly env: Env,
    private readonly tenants: TenantDatabase,
    private readonly workflows: WorkflowsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly secrets: SecretBox,
    private readonly changes: ChangeFeed,
  ) {}

  /** Returns the newest deliveries to the webhook of a workflow. It needs a transaction of the organization. */
  async list(
    organizationId: string,
    workflowId: string,
    limit: number,
  ): Promise<WebhookDeliveriesResult> {
    const { triggerType, previousSecretUntil } = await this.workflows.get(
      organizationId,
      workflowId,
    );
    const deliveries = await this.deliveries.list(organizationId, workflowId, limit);
    const isOverlapping = previousSecretUntil !== null && previousSecretUntil > new Date();
    const url = `${this.env.baseUrl}/${WEBHOOK_PATH}/${workflowId}/test`;
    return {
      test_url: triggerType === 'webhook' ? url : null,
      previous_secret_until: isOverlapping ? previousSecretUntil.toISOString() : null,
      deliveries: deliveries.map(deliveryView),
    };
  }

  /** Queues a delivery, which is written within a second. Never throws and never waits. */
  add(webhook: Webhook, record: DeliveryRecord): void {
    const { workflowId } = webhook;
    const { kind } = record;
    if (kind === 'refused' && this.refusals.take(workflowId, 1) > 0) return;
    if (!this.queues.has(workflowId) && this.queues.size >= MAX_QUEUED_WORKFLOWS) return;
    const queue: Queue = this.queues.get(workflowId) ?? {
      webhook,
      deliveries: { accepted: [], refused: [], test: [] },
    };
    this.queues.set(workflowId, queue);
    const deliveries = queue.deliveries[kind];
    deliveries.push(this.prepare(webhook, record));
    // Older deliveries would be deleted as soon as they were written.
    if (deliveries.length > KEPT_DELIVERIES) deliveries.shift();
    this.schedule();
  }

  async record(webhook: Webhook, record: DeliveryRecord): Promise<string> {
    const { organizationId, workflowId } = webhook;
    const delivery = deliveryOf(webhook, record);
    await this.tenants.transaction(organizationId, async () => {
      await this.deliveries.insert(organizationId, [delivery]);
      await this.deliveries.trim(organizationId, workflowId, record.kind, KEPT_DELIVERIES);
      this.publishChange(webhook);
    });
    return delivery.id;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.writing;
    await this.flush();
  }

  private schedule(): void {
    // There is one write at a time, because parallel writes to a slow database would use all connections.
    if (!this.writing)
      this.timer ??= setTimeout(() => void this.flush(), FLUSH_INTERVAL_MS).unref();
  }

  private flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const queues = [...this.queues.values()];
    this.queues = new Map();
    this.queuedDiagnoses = 0;
    this.writing = this.writeAll(queues).finally(() => {
      this.writing = undefined;
      if (this.queues.size > 0) this.schedule();
    });
    return this.writing;
  }

  private async writeAll(queues: readonly Queue[]): Promise<void> {
    for (const queue of queues) {
      try {
        await this.write(queue);
      } catch (error) {
        this.logger.warn(`Webhook deliveries were not logged: ${toError(error).message}`);
      }
    }
  }

  private prepare(webhook: Webhook, { body, ...record }: DeliveryRecord): QueuedDelivery {
    if (record.code !== 'invalid_signature') return { webhook, record, mistakes: [] };
    const canDiagnose =
      body !== undefined &&
      body.length <= MAX_DIAGNOSED_BYTES &&
      this.queuedDiagnoses < MAX_QUEUED_DIAGNOSES &&
      this.diagnoses.take(webhook.workflowId, 1) === 0;
    if (!canDiagnose) return { webhook, record, mistakes: ['not_examined'] };
    this.queuedDiagnoses += 1;
    return { webhook, record: { ...record, body }, mistakes: [] };
  }

  private async write({ webhook, deliveries }: Queue): Promise<void> {
    const { organizationId, workflowId } = webhook;
    const all = Object.values(deliveries).flat();
    await this.diagnoseAll(webhook, all);
    await this.tenants.transaction(organizationId, async () => {
      // The log of a deleted workflow was deleted with it and must stay empty.
      if (!(await this.workflows.find(organizationId, workflowId))) return;
      await this.deliveries.insert(
        organizationId,
        all.map((one) => ({ ...deliveryOf(one.webhook, one.record), mistakes: one.mistakes })),
      );
      for (const kind of ['accepted', 'refused', 'test'] as const) {
        if (deliveries[kind].length === 0) continue;
        await this.deliveries.trim(organizationId, workflowId, kind, KEPT_DELIVERIES);
      }
      this.publishChange(webhook);
    });
  }

  private async diagnoseAll(webhook: Webhook, queued: readonly QueuedDelivery[]): Promise<void> {
    if (!queued.some(({ record }) => record.body)) return;
    const { organizationId, workflowId, formerSecret, secrets, options } = webhook;
    const sealed = await this.tenants.transaction(
      organizationId,
      () => this.workflows.findOtherSecrets(organizationId, workflowId, MAX_OTHER_SECRETS),
      { readOnly: true },
    );
    const known = {
      toleranceSeconds: options.toleranceSeconds,
      secrets,
      previous: formerSecret && this.secrets.open(formerSecret, workflowId),
      others: sealed.map(({ id, secret }) => this.secrets.open(secret, id)),
    };
    for (const { record, mistakes } of queued) {
      const { body, headers, receivedAt } = record;
      if (!body) continue;
      mistakes.push(...diagnose({ body, headers, receivedAt, ...known }));
      // Yield, so that requests are served between two diagnoses.
      await nextTurn();
    }
  }

  private publishChange({ organizationId, workflowId }: Webhook): void {
    const uri = `switchboard://workflows/${workflowId}/deliveries`;
    this.changes.publish(organizationId, { kind: 'resource', uri });
  }
}
