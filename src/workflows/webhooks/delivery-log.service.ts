import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { ChangeFeed } from '../../changes/change-feed.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { toError } from '../../errors/app-error.js';
import { TokenBuckets } from '../../http/rate-limiter.js';
import { diagnose } from './signatures/signature-doctor.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import type { SignatureMistake } from './signatures/signature-mistake.js';
import type { DeliveryKind } from './webhook-delivery.entity.js';
import { deliveryOf, type Receipt } from './webhook-receipt.js';
import { WebhookSecrets } from './webhook-secrets.service.js';
import type { Webhook } from './webhook.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';

/** How many deliveries of each kind are kept of a workflow. */
export const KEPT_DELIVERIES = 50;
const EVERY_MS = 500;
const MOST_WAITING_WORKFLOWS = 1000;
const MOST_EXAMINED_BYTES = 64 * 1024;
const MOST_EXAMINED_WAITING = 100;
const MOST_OTHER_SECRETS = 50;

/** Made into a row only when it is written: of most that come in a hurry nothing is kept. */
interface Noted {
  webhook: Webhook;
  /** With its body only where the doctor is to look at it. */
  receipt: Receipt;
  mistakes: SignatureMistake[];
}

interface Waiting {
  webhook: Webhook;
  noted: Record<DeliveryKind, Noted[]>;
}

/**
 * Writes down what came to webhooks, twice a second and after the answers. Best effort: what a process that dies had
 * not written is missing. However much a stranger sends, a workflow costs a bounded number of rows and of writes.
 */
@Injectable()
export class DeliveryLog implements BeforeApplicationShutdown {
  private readonly logger = new Logger(DeliveryLog.name);
  private waiting = new Map<string, Waiting>();
  private examined = 0;
  private timer?: NodeJS.Timeout;
  private writing?: Promise<void>;
  /** Of refused ones of a workflow: fifty at once, then one a second. */
  private readonly refusals = new TokenBuckets(KEPT_DELIVERIES, 1);
  /** Looking at a signature costs about a hundred hashes. */
  private readonly examinations = new TokenBuckets(20, 0.2);

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly workflows: WorkflowsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly secrets: WebhookSecrets,
    private readonly changes: ChangeFeed,
  ) {}

  /** Notes a delivery, to be written soon. Does not throw and does not wait. */
  note(webhook: Webhook, receipt: Receipt): void {
    const { workflowId } = webhook;
    const { kind } = receipt;
    if (kind === 'refused' && this.refusals.take(workflowId, 1) > 0) return;
    if (!this.waiting.has(workflowId) && this.waiting.size >= MOST_WAITING_WORKFLOWS) return;
    const waiting: Waiting = this.waiting.get(workflowId) ?? {
      webhook,
      noted: { accepted: [], refused: [], test: [] },
    };
    this.waiting.set(workflowId, waiting);
    const noted = waiting.noted[kind];
    noted.push(this.prepare(webhook, receipt));
    // More than are kept would only be written to be removed.
    if (noted.length > KEPT_DELIVERIES) noted.shift();
    this.schedule();
  }

  /** Writes a delivery before it returns, and returns its id. */
  async record(webhook: Webhook, receipt: Receipt): Promise<string> {
    const { organizationId, workflowId } = webhook;
    const delivery = deliveryOf(webhook, receipt);
    await this.tenants.transaction(organizationId, async () => {
      await this.deliveries.insert(organizationId, [delivery]);
      await this.deliveries.trim(organizationId, workflowId, receipt.kind, KEPT_DELIVERIES);
      this.tell(webhook);
    });
    return delivery.id;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.writing;
    await this.flush();
  }

  private schedule(): void {
    // While the last ones are written, the next ones wait: a slow database must not make them pile up.
    if (!this.writing) this.timer ??= setTimeout(() => void this.flush(), EVERY_MS).unref();
  }

  /** Writes what is noted; what fails is lost. */
  private flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const all = [...this.waiting.values()];
    this.waiting = new Map();
    this.examined = 0;
    this.writing = this.writeAll(all).finally(() => {
      this.writing = undefined;
      if (this.waiting.size > 0) this.schedule();
    });
    return this.writing;
  }

  private async writeAll(all: readonly Waiting[]): Promise<void> {
    for (const waiting of all) {
      try {
        await this.write(waiting);
      } catch (error) {
        this.logger.warn(`Webhook deliveries were not written down: ${toError(error).message}`);
      }
    }
  }

  private prepare(webhook: Webhook, { body, ...receipt }: Receipt): Noted {
    if (receipt.code !== 'invalid_signature') return { webhook, receipt, mistakes: [] };
    const isExamined =
      body !== undefined &&
      body.length <= MOST_EXAMINED_BYTES &&
      this.examined < MOST_EXAMINED_WAITING &&
      this.examinations.take(webhook.workflowId, 1) === 0;
    if (!isExamined) return { webhook, receipt, mistakes: ['not_examined'] };
    this.examined += 1;
    return { webhook, receipt: { ...receipt, body }, mistakes: [] };
  }

  private async write({ webhook, noted }: Waiting): Promise<void> {
    const { organizationId, workflowId } = webhook;
    const all = Object.values(noted).flat();
    await this.examine(webhook, all);
    await this.tenants.transaction(organizationId, async () => {
      // It may have been deleted meanwhile, and then its log is gone as well.
      if (!(await this.workflows.find(organizationId, workflowId))) return;
      await this.deliveries.insert(
        organizationId,
        all.map((one) => ({ ...deliveryOf(one.webhook, one.receipt), mistakes: one.mistakes })),
      );
      for (const kind of ['accepted', 'refused', 'test'] as const) {
        if (noted[kind].length === 0) continue;
        await this.deliveries.trim(organizationId, workflowId, kind, KEPT_DELIVERIES);
      }
      this.tell(webhook);
    });
  }

  private async examine(webhook: Webhook, noted: readonly Noted[]): Promise<void> {
    if (!noted.some(({ receipt }) => receipt.body)) return;
    const { organizationId, workflowId, formerSecret } = webhook;
    const sealed = await this.tenants.transaction(
      organizationId,
      () => this.workflows.otherSecrets(organizationId, workflowId, MOST_OTHER_SECRETS),
      { readOnly: true },
    );
    const others = sealed.map(({ id, secret }) => this.secrets.openOne(id, secret));
    const previous = formerSecret && this.secrets.openOne(workflowId, formerSecret);
    for (const { receipt, mistakes } of noted) {
      const { body, headers, receivedAt } = receipt;
      if (!body) continue;
      const { secrets } = webhook;
      const { toleranceSeconds } = webhook.options;
      const known = { toleranceSeconds, secrets, previous, others };
      mistakes.push(...diagnose({ body, headers, receivedAt, ...known }));
      await nextTurn();
    }
  }

  private tell({ organizationId, workflowId }: Webhook): void {
    const uri = `switchboard://workflows/${workflowId}/deliveries`;
    this.changes.publish(organizationId, { kind: 'resource', uri });
  }
}
