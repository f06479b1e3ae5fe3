import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { ChangeFeed } from '../../changes/change-feed.js';
import { Env } from '../../config/env.js';
import { SecretBox } from '../../database/secret-box.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError, toError } from '../../errors/app-error.js';
import { TokenBuckets } from '../../http/rate-limiter.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import { type DeliveryGroup, type DeliveryQueue, DeliveryQueues } from './delivery-queues.js';
import { type DeliveryRecord, deliveryOf } from './delivery-record.js';
import { SignatureDiagnoses } from './signatures/signature-diagnoses.js';
import type { SignatureMistake } from './signatures/signature-mistake.js';
import { readPrevious } from './previous-secrets.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import type { WebhookDelivery } from './webhook-delivery.entity.js';
import { deliveryView, type WebhookDeliveriesResult } from './webhook-delivery.results.js';
import { type Webhook, WEBHOOK_PATH } from './webhook.js';

const KEPT_DELIVERIES = 50;
const FLUSH_INTERVAL_MS = 500;
const MAX_QUEUED_WORKFLOWS = 1000;
const MAX_DIAGNOSED_BYTES = 16 * 1024;
/** The largest numbers of diagnoses between two writes of deliveries: of a workflow, and of the process. */
const MAX_OWN_DIAGNOSES = 20;
const MAX_QUEUED_DIAGNOSES = 100;
const MAX_OTHER_SECRETS = 50;

/** A delivery that waits to become a row. Under load, most waiting deliveries are dropped instead. */
interface QueuedDelivery {
  webhook: Webhook;
  /** The row without the mistakes. It has only the headers that are stored, because many deliveries can wait. */
  row: WebhookDelivery;
  /** The request of a delivery whose signature will be diagnosed. Few deliveries have one. */
  undiagnosed?: Required<Pick<DeliveryRecord, 'headers' | 'url' | 'body'>> | undefined;
  mistakes: SignatureMistake[];
}

/**
 * Keeps the log of webhook deliveries. It writes twice a second, after the responses, so a process that dies loses the
 * last deliveries. The log of a workflow has a limited number of rows and writes. Deliveries of strangers displace only
 * deliveries of strangers.
 */
@Injectable()
export class DeliveryLogService implements BeforeApplicationShutdown {
  private readonly logger = new Logger(DeliveryLogService.name);
  private readonly queues = new DeliveryQueues<QueuedDelivery>(
    MAX_QUEUED_WORKFLOWS,
    KEPT_DELIVERIES,
  );
  /** The workflow of each queued diagnosis. */
  private queuedDiagnoses: string[] = [];
  private timer?: NodeJS.Timeout;
  private writing?: Promise<void>;
  /**
   * The limits of refused deliveries. The log takes a burst of at most 50 refused deliveries of a workflow, then one a
   * second. Deliveries without a valid signature have a limit of their own.
   */
  private readonly refusals = new TokenBuckets(KEPT_DELIVERIES, 1);
  private readonly diagnoses = new SignatureDiagnoses();

  constructor(
    private readonly env: Env,
    private readonly tenants: TenantDatabase,
    private readonly workflows: WorkflowsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly secrets: SecretBox,
    private readonly changes: ChangeFeed,
  ) {}

  /** Returns the newest deliveries to the webhook of a workflow. Needs a transaction of the organization. */
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
    const { organizationId, workflowId } = webhook;
    const group = groupOf(record);
    if (record.kind === 'refused' && this.refusals.take(`${group} ${workflowId}`, 1) > 0) return;
    this.queues.add(organizationId, workflowId, group, this.prepare(webhook, record));
    this.schedule();
  }

  async record(webhook: Webhook, record: DeliveryRecord): Promise<string> {
    const { organizationId, workflowId } = webhook;
    const delivery = deliveryOf(webhook, record);
    await this.tenants.transaction(organizationId, async () => {
      await this.deliveries.insert(organizationId, [delivery]);
      await this.deliveries.trim(organizationId, workflowId, groupOf(record), KEPT_DELIVERIES);
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
    this.queuedDiagnoses = [];
    this.writing = this.writeAll(this.queues.takeAll()).finally(() => {
      this.writing = undefined;
      if (!this.queues.isEmpty) this.schedule();
    });
    return this.writing;
  }

  private async writeAll(queues: readonly DeliveryQueue<QueuedDelivery>[]): Promise<void> {
    for (const { groups } of queues) {
      const deliveries = Object.values(groups).flat();
      try {
        await this.write(deliveries);
      } catch (error) {
        const isDown = error instanceof AppError && error.code === 'unavailable';
        if (isDown || deliveries.length === 1) this.warn(error);
        else await this.writeEach(deliveries);
      }
    }
  }

  /**
   * Writes each delivery alone, so that a delivery that cannot be written does not keep the other deliveries out of the
   * log.
   */
  private async writeEach(deliveries: readonly QueuedDelivery[]): Promise<void> {
    for (const delivery of deliveries) {
      await this.write([delivery]).catch((error: unknown) => this.warn(error));
    }
  }

  private warn(error: unknown): void {
    this.logger.warn(`Webhook deliveries were not logged: ${toError(error).message}`);
  }

  private prepare(webhook: Webhook, record: DeliveryRecord): QueuedDelivery {
    const { headers, url, body } = record;
    const row = deliveryOf(webhook, record);
    if (record.code !== 'invalid_signature') return { webhook, row, mistakes: [] };
    const { workflowId } = webhook;
    const own = this.queuedDiagnoses.filter((id) => id === workflowId);
    const canDiagnose =
      body !== undefined &&
      body.length <= MAX_DIAGNOSED_BYTES &&
      this.queuedDiagnoses.length < MAX_QUEUED_DIAGNOSES &&
      own.length < MAX_OWN_DIAGNOSES;
    if (!canDiagnose) return { webhook, row, mistakes: ['not_examined'] };
    this.queuedDiagnoses.push(workflowId);
    return { webhook, row, undiagnosed: { headers, url, body }, mistakes: [] };
  }

  /** Adds deliveries to the log of one webhook, in one transaction. */
  private async write(deliveries: readonly QueuedDelivery[]): Promise<void> {
    const { webhook } = deliveries[0]!;
    const { organizationId, workflowId } = webhook;
    await this.diagnoseAll(deliveries);
    await this.tenants.transaction(organizationId, async () => {
      // The log of a deleted workflow was deleted with it and must stay empty.
      if (!(await this.workflows.keep(organizationId, workflowId))) return;
      await this.deliveries.insert(
        organizationId,
        deliveries.map(({ row, mistakes }) => ({ ...row, mistakes })),
      );
      for (const group of new Set(deliveries.map(({ row }) => groupOf(row)))) {
        await this.deliveries.trim(organizationId, workflowId, group, KEPT_DELIVERIES);
      }
      this.publishChange(webhook);
    });
  }

  private async diagnoseAll(deliveries: readonly QueuedDelivery[]): Promise<void> {
    const undiagnosed = deliveries.filter((delivery) => delivery.undiagnosed);
    if (undiagnosed.length === 0) return;
    const { organizationId, workflowId } = undiagnosed[0]!.webhook;
    const sealed = await this.tenants.transaction(
      organizationId,
      () => this.workflows.findOtherSecrets(organizationId, workflowId, MAX_OTHER_SECRETS),
      { readOnly: true },
    );
    const others = sealed
      .map(({ id, secret }) => this.openIfPossible(secret, id))
      .filter((secret) => secret !== null);
    for (const delivery of undiagnosed) {
      delivery.mistakes.push(...(await this.diagnose(delivery, others)));
      // A later attempt to write the delivery must not find its mistakes again.
      delivery.undiagnosed = undefined;
    }
  }

  private async diagnose(
    { webhook, row, undiagnosed }: QueuedDelivery,
    others: readonly string[],
  ): Promise<SignatureMistake[]> {
    const { organizationId, secrets, options } = webhook;
    const refused = {
      ...undiagnosed!,
      receivedAt: row.receivedAt,
      toleranceSeconds: options.toleranceSeconds,
      secrets,
      previous: this.findInvalidPrevious(webhook),
      others,
    };
    return await this.diagnoses.find(organizationId, refused, options.signature);
  }

  /** Returns the newest previous secret that is no longer valid, or null. */
  private findInvalidPrevious({ workflowId, previousSecrets, secrets }: Webhook): string | null {
    const text = previousSecrets && this.openIfPossible(previousSecrets, workflowId);
    const previous = text === null ? [] : readPrevious(text);
    return previous.find(({ secret }) => !secrets.includes(secret))?.secret ?? null;
  }

  /**
   * Returns a secret, or null when it was sealed with another SECRET_KEY or the sealed text was changed. Such a secret
   * must not stop the log.
   */
  private openIfPossible(sealed: Buffer, workflowId: string): string | null {
    try {
      return this.secrets.open(sealed, workflowId);
    } catch {
      return null;
    }
  }

  private publishChange({ organizationId, workflowId }: Webhook): void {
    const uri = `switchboard://workflows/${workflowId}/deliveries`;
    this.changes.publish(organizationId, { kind: 'resource', uri });
  }
}

function groupOf({ kind, verified }: Pick<DeliveryRecord, 'kind' | 'verified'>): DeliveryGroup {
  return kind === 'refused' && !verified ? 'stranger' : kind;
}
