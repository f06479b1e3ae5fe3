import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Gatherings } from '../../database/gatherings.js';
import { GateDatabase } from '../../database/gate-database.js';
import { TenantDatabase } from '../../database/tenant-database.js';
import { AppError } from '../../errors/app-error.js';
import { Failpoints } from '../../failpoints/failpoints.js';
import { parseJson } from '../../http/parse-json.js';
import { RateLimiter } from '../../http/rate-limiter.js';
import { TokenBuckets } from '../../http/token-buckets.js';
import { DeliveryLog } from './delivery-log.service.js';
import { NO_WEBHOOK } from './malformed-webhook-path.js';
import { contactIn, PayloadContacts } from '../contacts/payload-contacts.service.js';
import { preferredWait } from './preferred-wait.js';
import { type RunOutcome, RunWaiter } from '../runs/run-waiter.service.js';
import { RunStarts } from '../triggers/run-starts.service.js';
import { TriggerFilter } from '../triggers/trigger-filter.service.js';
import { type SignatureScheme, verifyWebhook } from '../signatures/verify-webhook.js';
import type { Receipt } from './webhook-receipt.js';
import { WebhookStarts } from './webhook-starts.service.js';
import { WebhookSecrets } from './webhook-secrets.service.js';
import { webhookStatus } from './webhook-status.js';
import type { Webhook } from './webhook.js';
import type { WebhookOptions } from '../saved/workflow.entity.js';

const WORKFLOW_ID = /^[0-9A-Za-z]{32}$/;
const DEDUPE_KEY = /^[\x21-\x7e]{1,255}$/;
const INVALID_SIGNATURE =
  'x-webhook-signature must be the hexadecimal HMAC-SHA256 of the body, made with the secret; or sign as in ' +
  'Standard Webhooks.';

/** A request to the URL of a webhook. */
export interface WebhookRequest {
  headers: IncomingHttpHeaders;
  /** Reads the body; throws for what is too large or no plain JSON. */
  readBody: () => Promise<Buffer>;
  /** Aborted once nobody waits for the answer. */
  gone: AbortSignal;
}

export interface StartedRun {
  runId: string;
  duplicate: boolean;
  /** How it ended, if the workflow lets senders wait and it ended in time. */
  outcome?: RunOutcome;
}

type Arrival = Pick<Receipt, 'headers' | 'receivedAt' | 'body'>;

interface FoundWebhook {
  organization_id: string;
  active: boolean;
  secret: Buffer | null;
  previous_secret: Buffer | null;
  previous_is_valid: boolean;
  options: WebhookOptions;
  condition: string | null;
}

@Injectable()
export class WebhooksService {
  /** Each test is written down at once: thirty in a row, then one a second for each workflow and process. */
  private readonly tests = new TokenBuckets(30, 1);
  private readonly lookUps = new Gatherings<string, ReadonlyMap<string, FoundWebhook>>((_, ids) =>
    this.lookUp([...new Set(ids)]),
  );

  constructor(
    private readonly gate: GateDatabase,
    private readonly tenants: TenantDatabase,
    private readonly secrets: WebhookSecrets,
    private readonly limiter: RateLimiter,
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
   * when this returns. One `not_found` for ids that are
   * malformed, unknown, deleted, inactive or not of a webhook, so that nothing can be learned by asking.
   */
  async receive(workflowId: string, request: WebhookRequest): Promise<StartedRun | 'skipped'> {
    const webhook = await this.find(workflowId);
    const arrival: Arrival = { headers: request.headers, receivedAt: new Date() };
    try {
      if (!webhook.active) throw notFound();
      arrival.body = await this.admit(webhook, request);
      const accepted = await this.accept(webhook, arrival.body, request.headers);
      if (accepted === 'skipped') {
        this.log.note(webhook, { ...arrival, kind: 'accepted', status: 202, code: 'skipped' });
        return 'skipped';
      }
      const { runId, duplicate } = accepted;
      const outcome = await this.outcome(webhook, runId, request);
      const status = duplicate || outcome ? 200 : 202;
      const code = duplicate ? 'duplicate' : 'accepted';
      this.log.note(webhook, { ...arrival, kind: 'accepted', status, code, runId });
      return { runId, duplicate, outcome };
    } catch (error) {
      this.noteRefusal(webhook, arrival, error);
      throw error;
    }
  }

  /**
   * Checks a webhook in the same way, also while the workflow is inactive, and records it instead of starting a run.
   * Returns the id of the record.
   */
  async test(workflowId: string, request: WebhookRequest): Promise<string> {
    const webhook = await this.find(workflowId);
    const arrival: Arrival = { headers: request.headers, receivedAt: new Date() };
    try {
      assertSeldom(this.tests.take(workflowId, 1));
      arrival.body = await this.admit(webhook, request);
      const { scheme } = this.check(webhook, arrival.body, request.headers);
      dedupeKeyOf(request.headers, scheme);
      const receipt: Receipt = { ...arrival, kind: 'test', status: 200, code: 'recorded' };
      return await this.log.record(webhook, receipt);
    } catch (error) {
      this.noteRefusal(webhook, arrival, error);
      throw error;
    }
  }

  private async find(workflowId: string): Promise<Webhook> {
    if (!WORKFLOW_ID.test(workflowId)) throw notFound();
    const { result } = await this.lookUps.add('', workflowId);
    const found = result.get(workflowId);
    if (!found) throw notFound();
    const { secret, active, options } = found;
    const stored = {
      secret,
      previousSecret: found.previous_secret,
      previousIsValid: found.previous_is_valid,
    };
    return {
      workflowId,
      active,
      options,
      condition: found.condition ?? undefined,
      organizationId: found.organization_id,
      secrets: this.secrets.open(workflowId, stored),
      formerSecret: found.previous_is_valid ? null : found.previous_secret,
    };
  }

  private async lookUp(ids: readonly string[]): Promise<ReadonlyMap<string, FoundWebhook>> {
    const rows = await this.gate.callForEach<FoundWebhook>('open_webhook', ids, 'text');
    return new Map(rows.map((row) => [ids[row.position]!, row]));
  }

  /** The body is read only once the workflow is known: nobody else can make this process hold a megabyte. */
  private async admit(webhook: Webhook, request: WebhookRequest): Promise<Buffer> {
    // Not yet the organization's: whoever knows the address, but not the secret, could use that up.
    this.limiter.consume(webhook.workflowId, 1);
    return await request.readBody();
  }

  private async outcome(
    { organizationId, options }: Webhook,
    runId: string,
    { headers, gone }: WebhookRequest,
  ): Promise<RunOutcome | undefined> {
    const prefer = headers.prefer;
    const seconds = preferredWait(
      Array.isArray(prefer) ? prefer.join(',') : prefer,
      options.waitSeconds,
    );
    return await this.waiter.wait(organizationId, runId, seconds, gone);
  }

  private noteRefusal(webhook: Webhook, arrival: Arrival, error: unknown): void {
    const failure = error instanceof AppError ? error.code : 'internal';
    const code = failure === 'not_found' && !webhook.active ? 'inactive' : failure;
    this.log.note(webhook, { ...arrival, kind: 'refused', status: webhookStatus(failure), code });
  }

  private async accept(
    webhook: Webhook,
    body: Buffer,
    headers: IncomingHttpHeaders,
  ): Promise<{ runId: string; duplicate: boolean } | 'skipped'> {
    const { payload, scheme } = this.check(webhook, body, headers);
    const dedupeKey = dedupeKeyOf(headers, scheme);
    const started = await this.start(webhook, payload, body, dedupeKey);
    const subject = started === 'skipped' ? webhook.workflowId : started.runId;
    await this.failpoints.reach('after commit, before answer', subject);
    return started;
  }

  private async start(
    webhook: Webhook,
    payload: object,
    body: Buffer,
    dedupeKey: string | null,
  ): Promise<{ runId: string; duplicate: boolean } | 'skipped'> {
    const { organizationId, workflowId, condition } = webhook;
    const start = { workflowId, triggerType: 'webhook', payload: body, dedupeKey } as const;
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

  /** Checks the signature first, then the body. */
  private check(
    webhook: Webhook,
    body: Buffer,
    headers: IncomingHttpHeaders,
  ): { payload: object; scheme: SignatureScheme | undefined } {
    const scheme = this.verify(webhook, body, headers);
    this.limiter.consume(webhook.organizationId, 1);
    const payload = parseJson(body);
    if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
      throw new AppError('not_an_object', 'The body must be a JSON object.');
    }
    return { payload, scheme };
  }

  private verify(
    webhook: Webhook,
    body: Buffer,
    headers: IncomingHttpHeaders,
  ): SignatureScheme | undefined {
    const { secrets, options } = webhook;
    if (secrets.length === 0) return undefined;
    const scheme = verifyWebhook(body, headers, secrets, new Date(), options.toleranceSeconds);
    if (scheme) return scheme;
    // One answer for a missing, a wrong and an old one: none of them tells anything about the secret.
    throw new AppError('invalid_signature', INVALID_SIGNATURE);
  }
}

function assertSeldom(waitSeconds: number): void {
  if (waitSeconds === 0) return;
  throw new AppError('rate_limited', 'Too many tests. Try again later.', {
    retryAfterSeconds: Math.ceil(waitSeconds),
  });
}

function notFound(): AppError {
  return new AppError('not_found', NO_WEBHOOK);
}

/**
 * `Idempotency-Key`, or `webhook-id` as in Standard Webhooks. Where that is signed it alone counts: with another key,
 * which anybody could add, a delivery that was listened to would start a second run.
 */
function dedupeKeyOf(
  headers: IncomingHttpHeaders,
  scheme: SignatureScheme | undefined,
): string | null {
  const names = scheme === 'standard' ? ['webhook-id'] : ['idempotency-key', 'webhook-id'];
  for (const name of names) {
    const key = headers[name];
    if (key === undefined) continue;
    if (typeof key === 'string' && DEDUPE_KEY.test(key)) return key;
    throw AppError.invalid(`${name} must be 1 to 255 visible ASCII characters.`);
  }
  return null;
}
