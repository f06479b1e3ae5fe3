import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError } from '../../errors/app-error.js';
import { Failpoints } from '../../failpoints/failpoints.js';
import { TokenBuckets } from '../../http/rate-limiter.js';
import { type RunOutcome, RunWaiter } from '../runs/run-waiter.service.js';
import { PayloadContacts, contactIn } from '../triggers/payload-contacts.service.js';
import { RunStarts } from '../triggers/run-starts.service.js';
import { TriggerFilter } from '../triggers/trigger-filter.service.js';
import { DeliveryLog } from './delivery-log.service.js';
import { preferredWait } from './preferred-wait.js';
import {
  Arrival,
  type CheckedWebhook,
  WebhookChecks,
  type WebhookRequest,
} from './webhook-checks.service.js';
import { WebhookLookUps, noWebhook } from './webhook-look-ups.service.js';
import { WebhookStarts } from './webhook-starts.service.js';
import { type Webhook, webhookStatus } from './webhook.js';

export interface StartedRun {
  runId: string;
  duplicate: boolean;
  /** How it ended, if the workflow lets senders wait and it ended in time. */
  outcome?: RunOutcome;
}

type Accepted = { runId: string; duplicate: boolean } | 'skipped';

@Injectable()
export class WebhooksService {
  /** Each test is written down at once: thirty in a row, then one a second for each workflow and process. */
  private readonly tests = new TokenBuckets(30, 1);

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly lookUps: WebhookLookUps,
    private readonly checks: WebhookChecks,
    private readonly contacts: PayloadContacts,
    private readonly filter: TriggerFilter,
    private readonly runs: RunStarts,
    private readonly starts: WebhookStarts,
    private readonly failpoints: Failpoints,
    private readonly log: DeliveryLog,
    private readonly waiter: RunWaiter,
  ) {}

  /**
   * Checks a webhook and starts its run, unless the condition of the workflow does not hold. The run is stored durably
   * when this returns. One `not_found` for ids that are malformed, unknown, deleted, inactive or not of a webhook, so that
   * nothing can be learned by asking.
   */
  async receive(workflowId: string, request: WebhookRequest): Promise<StartedRun | 'skipped'> {
    const arrival = new Arrival(request);
    const recalled = this.lookUps.recall(workflowId);
    const received = recalled && (await this.receiveUnchanged(recalled, arrival));
    if (received) return received;
    const webhook = await this.lookUps.find(workflowId);
    return await this.noted(webhook, arrival, async () => {
      if (!webhook.active) throw noWebhook();
      const checked = await this.checks.check(webhook, arrival);
      return await this.answer(webhook, arrival, await this.start(webhook, checked));
    });
  }

  /**
   * Checks a webhook in the same way, also while the workflow is inactive, and records it instead of starting a run.
   * Returns the id of the record.
   */
  async test(workflowId: string, request: WebhookRequest): Promise<string> {
    const webhook = await this.lookUps.find(workflowId);
    const arrival = new Arrival(request);
    return await this.noted(webhook, arrival, async () => {
      assertSeldom(this.tests.take(workflowId, 1));
      await this.checks.check(webhook, arrival);
      const told = { kind: 'test', status: 200, code: 'recorded' } as const;
      return await this.log.record(webhook, { ...arrival.receipt, ...told });
    });
  }

  /**
   * The same by what is remembered of the webhook, if it is still like that when the run is stored. Undefined where it is
   * not, and where anything is wrong: what is said of that must be true by now.
   */
  private async receiveUnchanged(
    webhook: Webhook,
    arrival: Arrival,
  ): Promise<StartedRun | 'skipped' | undefined> {
    const checked = await this.checks.check(webhook, arrival).catch(() => undefined);
    if (!checked) return undefined;
    return await this.noted(webhook, arrival, async () => {
      const { organizationId, revision, isLimited } = webhook;
      const start = { ...startOf(webhook, checked), ...contactIn(checked.payload), revision };
      const runId = await this.starts.startWithOthers(organizationId, start, isLimited);
      if (runId === undefined) return undefined;
      return await this.answer(webhook, arrival, { runId, duplicate: false });
    });
  }

  private async start(webhook: Webhook, checked: CheckedWebhook): Promise<Accepted> {
    const { organizationId, condition } = webhook;
    const { payload } = checked;
    const start = startOf(webhook, checked);
    if (condition === undefined) {
      return await this.starts.start(organizationId, { ...start, ...contactIn(payload) });
    }
    return await this.tenants.transaction(organizationId, async () => {
      const contactId = await this.contacts.find(organizationId, payload);
      const conditional = { ...start, contactId };
      const wanted = await this.filter.apply(organizationId, conditional, payload, condition);
      return wanted ? await this.runs.start(organizationId, wanted) : 'skipped';
    });
  }

  /** What is answered, once it may be: all is committed. */
  private async answer(
    webhook: Webhook,
    arrival: Arrival,
    accepted: Accepted,
  ): Promise<StartedRun | 'skipped'> {
    // Without the body, which nobody needs any more.
    const { headers, receivedAt, digest } = arrival.receipt;
    const told = { kind: 'accepted', headers, receivedAt, digest } as const;
    const subject = accepted === 'skipped' ? webhook.workflowId : accepted.runId;
    await this.failpoints.reach('after commit, before answer', subject);
    if (accepted === 'skipped') {
      this.log.note(webhook, { ...told, status: 202, code: 'skipped' });
      return 'skipped';
    }
    const { runId, duplicate } = accepted;
    const { waitSeconds } = webhook.options;
    const outcome =
      waitSeconds === undefined
        ? undefined
        : await this.outcome(webhook.organizationId, runId, waitSeconds, arrival.request);
    const status = duplicate || outcome ? 200 : 202;
    this.log.note(webhook, { ...told, status, code: duplicate ? 'duplicate' : 'accepted', runId });
    return { runId, duplicate, outcome };
  }

  private async outcome(
    organizationId: string,
    runId: string,
    waitSeconds: number,
    { headers, gone }: WebhookRequest,
  ): Promise<RunOutcome | undefined> {
    const prefer = headers.prefer;
    const seconds = preferredWait(Array.isArray(prefer) ? prefer.join(',') : prefer, waitSeconds);
    return await this.waiter.wait(organizationId, runId, seconds, gone);
  }

  /** Writes down what is thrown. */
  private async noted<T>(webhook: Webhook, arrival: Arrival, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const failure = error instanceof AppError ? error.code : 'internal';
      const code = failure === 'not_found' && !webhook.active ? 'inactive' : failure;
      const told = { kind: 'refused', status: webhookStatus(failure), code } as const;
      this.log.note(webhook, { ...arrival.receipt, ...told });
      throw error;
    }
  }
}

function startOf({ workflowId }: Webhook, { body, bodyHash, dedupeKey }: CheckedWebhook) {
  return { workflowId, triggerType: 'webhook', payload: body, bodyHash, dedupeKey } as const;
}

function assertSeldom(waitSeconds: number): void {
  if (waitSeconds === 0) return;
  throw new AppError('rate_limited', 'Too many tests. Try again later.', {
    retryAfterSeconds: Math.ceil(waitSeconds),
  });
}
