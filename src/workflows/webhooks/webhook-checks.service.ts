import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { AppError } from '../../errors/app-error.js';
import { parseJson } from '../../http/request-body.js';
import { RateLimiter } from '../../http/rate-limiter.js';
import { type SignatureScheme, verifyWebhook } from './signatures/verify-webhook.js';
import type { Receipt } from './webhook-receipt.js';
import type { Webhook } from './webhook.js';

const DEDUPE_KEY = /^[\x21-\x7e]{1,255}$/;
const INVALID_SIGNATURE =
  'x-webhook-signature must be the hexadecimal HMAC-SHA256 of the body, made with the secret; or sign as in ' +
  'Standard Webhooks.';

/** A request to the URL of a webhook. */
export interface WebhookRequest {
  headers: IncomingHttpHeaders;
  /** Reads the body, once; throws for what is too large or no plain JSON. */
  readBody: () => Promise<Buffer>;
  /** Aborted once nobody waits for the answer. */
  gone: () => AbortSignal;
}

/** A request and what is known of it by now, for it may be checked more than once. */
export class Arrival {
  readonly receipt: Pick<Receipt, 'headers' | 'receivedAt' | 'body' | 'digest'>;
  /** Whose allowance it was taken from. */
  readonly counted: string[] = [];

  constructor(readonly request: WebhookRequest) {
    this.receipt = { headers: request.headers, receivedAt: new Date() };
  }
}

/** A webhook that is as it must be. */
export interface CheckedWebhook {
  payload: object;
  body: Buffer;
  /** SHA-256. */
  bodyHash: Buffer;
  dedupeKey: string | null;
}

@Injectable()
export class WebhookChecks {
  constructor(private readonly limiter: RateLimiter) {}

  /**
   * Reads the body, and checks the signature first, then the body. It is read only once the workflow is known: nobody
   * else can make this process hold a megabyte.
   */
  async check(webhook: Webhook, arrival: Arrival): Promise<CheckedWebhook> {
    const { request, receipt } = arrival;
    // Not yet the organization's: whoever knows the address, but not the secret, could use that up.
    this.count(arrival, webhook.workflowId);
    const body = (receipt.body ??= await request.readBody());
    const { hash: bodyHash } = (receipt.digest ??= {
      bytes: body.length,
      hash: hash('sha256', body, 'buffer'),
    });
    const scheme = verify(webhook, body, request.headers);
    this.count(arrival, webhook.organizationId);
    const payload = parseJson(body);
    if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
      throw new AppError('not_an_object', 'The body must be a JSON object.');
    }
    return { payload, body, bodyHash, dedupeKey: dedupeKeyOf(request.headers, scheme) };
  }

  private count({ counted }: Arrival, subject: string): void {
    if (counted.includes(subject)) return;
    this.limiter.consume(subject, 1);
    counted.push(subject);
  }
}

function verify(
  { secrets, options }: Webhook,
  body: Buffer,
  headers: IncomingHttpHeaders,
): SignatureScheme | undefined {
  if (secrets.length === 0) return undefined;
  const scheme = verifyWebhook(body, headers, secrets, new Date(), options.toleranceSeconds);
  if (scheme) return scheme;
  // One answer for a missing, a wrong and an old one: none of them tells anything about the secret.
  throw new AppError('invalid_signature', INVALID_SIGNATURE);
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
