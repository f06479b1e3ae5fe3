import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { AppError } from '../../errors/app-error.js';
import { RateLimiter } from '../../http/rate-limiter.js';
import { SecurityLog } from '../../security/security-log.js';
import { type SignatureScheme, verifyWebhook } from './signatures/verify-webhook.js';
import type { DeliveryRecord } from './delivery-record.js';
import { parseObject, type Webhook } from './webhook.js';

const DEDUPE_KEY = /^[\x21-\x7e]{1,255}$/;
const INVALID_SIGNATURE =
  'x-webhook-signature must be the hexadecimal HMAC-SHA256 of the body, made with the secret; or sign as in ' +
  'Standard Webhooks.';

export interface WebhookRequest {
  headers: IncomingHttpHeaders;
  /** Reads the body. It may be called once. Throws when the body is too large or not plain JSON. */
  readBody: () => Promise<Buffer>;
  /** Returns a signal that aborts when the sender disconnects. */
  gone: () => AbortSignal;
}

/** Holds a request with its body. It is checked again when the check with the cached webhook fails. */
export class IncomingDelivery {
  readonly record: Pick<DeliveryRecord, 'headers' | 'receivedAt' | 'verified' | 'body' | 'digest'>;
  /** The rate limits of these workflows and organizations have counted this request. */
  readonly counted: string[] = [];

  constructor(readonly request: WebhookRequest) {
    this.record = { headers: request.headers, receivedAt: new Date(), verified: false };
  }
}

export interface VerifiedDelivery {
  payload: object;
  body: Buffer;
  /** Contains the SHA-256 of the body. */
  bodyHash: Buffer;
  dedupeKey: string | null;
  /** When set, the body starts no run if it has started one within this many seconds. */
  dedupeSeconds?: number;
}

@Injectable()
export class WebhookChecksService {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly security: SecurityLog,
  ) {}

  /**
   * Reads and checks a delivery, the signature first. Throws `rate_limited`, `invalid_signature`, `not_an_object`,
   * `invalid_arguments` for a malformed idempotency key, and what reading the body throws.
   */
  async check(webhook: Webhook, delivery: IncomingDelivery): Promise<VerifiedDelivery> {
    const { request, record } = delivery;
    // The check with the cached webhook may have accepted a secret that is no longer valid.
    record.verified = false;
    // The organization is counted after the signature check. Before it, a stranger could use up its rate limit.
    this.consume(delivery, webhook.workflowId);
    const body = (record.body ??= await request.readBody());
    const { hash: bodyHash } = (record.digest ??= {
      bytes: body.length,
      hash: hash('sha256', body, 'buffer'),
    });
    const scheme = schemeOf(webhook, body, request.headers);
    if (scheme === 'invalid') {
      this.security.report('invalid_signature', { subject: webhook.organizationId });
      // Missing, wrong and expired signatures get the same 401, which reveals nothing about the secret.
      throw new AppError('invalid_signature', INVALID_SIGNATURE);
    }
    record.verified = true;
    this.consume(delivery, webhook.organizationId);
    const payload = parseObject(body);
    const dedupeKey = dedupeKeyOf(request.headers, scheme);
    const dedupeSeconds = dedupeKey === null ? webhook.options.dedupeSeconds : undefined;
    return { payload, body, bodyHash, dedupeKey, dedupeSeconds };
  }

  private consume({ counted }: IncomingDelivery, subject: string): void {
    if (counted.includes(subject)) return;
    this.limiter.consume(subject, 1);
    counted.push(subject);
  }
}

/**
 * Checks the signature. Returns its scheme, undefined when the webhook has no secret, or `invalid`. The owner reads the
 * mistake in an invalid signature, such as `secret_sent`, with `list_webhook_deliveries` and on the page Deliveries
 * (`signatures/diagnose.ts` finds it).
 */
function schemeOf(
  { secrets, options }: Webhook,
  body: Buffer,
  headers: IncomingHttpHeaders,
): SignatureScheme | 'invalid' | undefined {
  if (secrets.length === 0) return undefined;
  return verifyWebhook(body, headers, secrets, new Date(), options.toleranceSeconds) ?? 'invalid';
}

/**
 * Returns `Idempotency-Key`, or else `webhook-id`. With Standard Webhooks only `webhook-id` counts, because it is
 * signed. Otherwise somebody could replay a recorded delivery with another key and start a second run.
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
