import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { ContactsService } from '../contacts/contacts.service.js';
import { GateDatabase } from '../database/gate-database.js';
import { SecretBox } from '../database/secret-box.js';
import { TenantDatabase } from '../database/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import { Failpoints } from '../failpoints/failpoints.js';
import { parseJson } from '../http/parse-json.js';
import { RateLimiter } from '../http/rate-limiter.js';
import { NO_WEBHOOK } from './malformed-webhook-path.js';
import { RunsService } from './runs.service.js';
import { TriggerFilter } from './trigger-filter.service.js';
import { type SignatureScheme, verifyWebhook } from './verify-webhook.js';

const WORKFLOW_ID = /^[0-9A-Za-z]{32}$/;
const DEDUPE_KEY = /^[\x21-\x7e]{1,255}$/;
const MAX_REFERENCE = 320;
const INVALID_SIGNATURE =
  'x-webhook-signature must be the hexadecimal HMAC-SHA256 of the body, made with the secret; or sign as in ' +
  'Standard Webhooks.';

interface WebhookRow {
  organization_id: string;
  secret: Buffer | null;
  condition: string | null;
}

/** A webhook workflow that may be started. */
export interface Webhook {
  readonly workflowId: string;
  readonly organizationId: string;
  readonly sealedSecret: Buffer | null;
  /** No run starts where it does not hold. */
  readonly condition: string | undefined;
}

@Injectable()
export class WebhooksService {
  constructor(
    private readonly gate: GateDatabase,
    private readonly tenants: TenantDatabase,
    private readonly secrets: SecretBox,
    private readonly limiter: RateLimiter,
    private readonly contacts: ContactsService,
    private readonly filter: TriggerFilter,
    private readonly runs: RunsService,
    private readonly failpoints: Failpoints,
  ) {}

  /**
   * Finds the workflow and takes one webhook from its own allowance. One `not_found` for ids that are
   * malformed, unknown, deleted, inactive or not of a webhook, so that nothing can be learned by asking.
   */
  async open(workflowId: string): Promise<Webhook> {
    const [found] = WORKFLOW_ID.test(workflowId)
      ? await this.gate.call<WebhookRow>('find_webhook', [workflowId])
      : [];
    if (!found) throw new AppError('not_found', NO_WEBHOOK);
    // Not yet the organization's: whoever knows the address, but not the secret, could use that up.
    this.limiter.consume(workflowId, 1);
    return {
      workflowId,
      organizationId: found.organization_id,
      sealedSecret: found.secret,
      condition: found.condition ?? undefined,
    };
  }

  /**
   * Checks the signature and the body, and starts the run, unless the condition of the workflow does not hold. The run
   * is stored durably when this returns.
   */
  async accept(
    webhook: Webhook,
    body: Buffer,
    headers: IncomingHttpHeaders,
  ): Promise<{ runId: string; duplicate: boolean } | 'skipped'> {
    const scheme = this.verify(webhook, body, headers);
    this.limiter.consume(webhook.organizationId, 1);
    const payload = parseJson(body);
    if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
      throw new AppError('not_an_object', 'The body must be a JSON object.');
    }
    const dedupeKey = dedupeKeyOf(headers, scheme);
    const { organizationId, workflowId } = webhook;
    const started = await this.tenants.transaction(organizationId, async () => {
      const contactId = await this.findContact(organizationId, payload);
      const start = {
        workflowId,
        triggerType: 'webhook',
        payload: body,
        contactId,
        dedupeKey,
      } as const;
      const wanted = await this.filter.apply(organizationId, start, payload, webhook.condition);
      return wanted ? await this.runs.start(organizationId, wanted) : 'skipped';
    });
    const subject = started === 'skipped' ? workflowId : started.runId;
    await this.failpoints.reach('after commit, before answer', subject);
    return started;
  }

  private verify(
    webhook: Webhook,
    body: Buffer,
    headers: IncomingHttpHeaders,
  ): SignatureScheme | undefined {
    if (webhook.sealedSecret === null) return undefined;
    const secret = this.secrets.open(webhook.sealedSecret, webhook.workflowId);
    const scheme = verifyWebhook(body, headers, [secret], new Date());
    if (scheme) return scheme;
    // One answer for a missing, a wrong and an old one: none of them tells anything about the secret.
    throw new AppError('invalid_signature', INVALID_SIGNATURE);
  }

  /** The contact that the payload names, if the organization knows it: senders may know people that we do not. */
  private async findContact(organizationId: string, payload: object): Promise<string | null> {
    const id = referenceOf(payload, 'contact_id');
    const email = referenceOf(payload, 'email');
    const byId = id === undefined ? null : await this.contacts.find(organizationId, id);
    if (byId) return byId.id;
    const byEmail =
      email === undefined ? null : await this.contacts.findByEmail(organizationId, email);
    return byEmail?.id ?? null;
  }
}

/** A member that can be looked up at all: PostgreSQL refuses U+0000, and UTF-8 lone surrogates. */
function referenceOf(payload: object, name: string): string | undefined {
  const value: unknown = Object.hasOwn(payload, name)
    ? (payload as Record<string, unknown>)[name]
    : undefined;
  const isUsable =
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= MAX_REFERENCE &&
    !value.includes('\0') &&
    value.isWellFormed();
  return isUsable ? value : undefined;
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
