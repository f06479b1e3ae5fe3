import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Env } from '../../config/env.js';
import { AppError } from '../../errors/app-error.js';
import type { TakeTurn } from '../../http/body-chunks.js';
import { CallTurns } from '../../http/call-turns.js';
import { RateLimiter } from '../../http/rate-limiter.js';
import { SecurityLog } from '../../security/security-log.js';
import type { TriggerRequest } from '../definitions/trigger-request.js';
import { acceptedFormats } from '../definitions/webhook-formats.js';
import { PRESET_TITLES } from '../definitions/webhook-options.js';
import { LargePayloadsService } from '../payloads/large-payloads.service.js';
import { readContentType } from './bodies/content-type.js';
import { readRequest } from './bodies/read-request.js';
import {
  type LargeBody,
  type LargeRules,
  queryPayload,
  readPayload,
  SMALL_BODY_BYTES,
} from './bodies/read-payload.js';
import { queryTextOf, type SignedRequest } from './signatures/signed-request.js';
import { isPresetSignatureValid, PRESETS } from './signatures/verify-preset.js';
import { type SignatureScheme, verifyWebhook } from './signatures/verify-webhook.js';
import type { CountedLimit, IncomingDelivery, WebhookRequest } from './incoming-delivery.js';
import { type PresetDelivery, presetDelivery } from './preset-delivery.js';
import type { Webhook } from './webhook.js';

const DEDUPE_KEY = /^[\x21-\x7e]{1,255}$/;
const INVALID_SIGNATURE =
  'x-webhook-signature must be the hexadecimal HMAC-SHA256 of the body, made with the secret; or sign as in ' +
  'Standard Webhooks.';

export interface VerifiedDelivery {
  payload: object;
  /** The JSON of the payload. */
  payloadBytes: Buffer;
  /** The large values of a large payload. When set, `payload` and `payloadBytes` are the outline of the payload. */
  large?: LargeBody;
  /** The SHA-256 of the body, or of a signed key: some providers change the body when they send it again. */
  bodyHash: Buffer;
  dedupeKey: string | null;
  /** The part of the request that expressions read. Absent when the workflow reads nothing of the request. */
  request?: TriggerRequest;
  /** The seconds within which the same body starts no second run. When absent, bodies are not compared. */
  dedupeSeconds?: number;
  /**
   * The challenge: a text that the response must repeat, to show the sender that the address is right. A delivery with
   * a challenge starts no run.
   */
  challenge?: string;
}

@Injectable()
export class WebhookChecksService {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly turns: CallTurns,
    private readonly security: SecurityLog,
    private readonly env: Env,
    private readonly largePayloads: LargePayloadsService,
  ) {}

  /**
   * Reads and checks a delivery, the signature first. Throws `rate_limited`, `unsupported_media_type`,
   * `invalid_signature`, `invalid_arguments` for a malformed idempotency key, and the errors of reading the payload.
   */
  async check(webhook: Webhook, delivery: IncomingDelivery): Promise<VerifiedDelivery> {
    const { request, record } = delivery;
    // The earlier check with the cached webhook may have accepted a secret that is no longer valid.
    record.verified = false;
    // The rate limit of the organization counts only deliveries that passed the signature check, and each network has a
    // separate limit before this check. Otherwise a stranger could use up the limit of the sender.
    this.consume('webhook', webhook, delivery);
    const { organizationId } = webhook;
    await this.turns.takeUnverified(organizationId, request.network());
    const { signature, dedupeSeconds, needs } = webhook.options;
    const formats = acceptedFormats(webhook.options);
    const isGet = request.method === 'GET';
    const type = isGet ? undefined : readContentType(request.headers, formats);
    const takeTurn: TakeTurn = (bytes) =>
      this.turns.takeForUnverifiedBody(organizationId, request.network(), bytes);
    const body = await delivery.readBody(organizationId, takeTurn);
    const { hash: bodyHash } = (record.digest ??= {
      bytes: body.length,
      hash: hash('sha256', isGet ? request.url : body, 'buffer'),
    });
    const scheme = await findScheme(webhook, delivery.signedRequest(body));
    if (scheme === 'invalid') {
      this.security.report('invalid_signature', { subject: organizationId });
      // Missing, wrong and expired signatures get the same 401, so that the response reveals nothing about the secret.
      throw new AppError('invalid_signature', invalidSignature(webhook));
    }
    record.verified = true;
    this.consume('organization', webhook, delivery);
    const unwrapsPayload = signature === 'github' || signature === 'slack';
    const { payload, bytes, large } = type
      ? await readPayload(body, type, {
          formats,
          unwrapsPayload,
          readsObjectsAsJson: signature !== undefined && PRESETS[signature].idMember !== undefined,
          takeTurn,
          large: this.rules(webhook, request),
        })
      : queryPayload(queryTextOf(request.url));
    const read = needs?.request && this.read(webhook, delivery);
    const found: PresetDelivery =
      signature === undefined
        ? { dedupeKey: dedupeKeyOf(request.headers, scheme, dedupeSeconds !== undefined) }
        : presetDelivery(signature, request.headers, payload, dedupeSeconds !== undefined);
    return {
      payload,
      payloadBytes: bytes,
      large,
      bodyHash,
      request: read,
      ...found,
      dedupeSeconds: found.dedupeKey === null ? dedupeSeconds : undefined,
    };
  }

  private rules({ organizationId }: Webhook, request: WebhookRequest): LargeRules | undefined {
    const { maxPayloadBytes: maxBytes } = this.env;
    if (maxBytes <= SMALL_BODY_BYTES) return undefined;
    return {
      maxBytes,
      reserve: () => request.reserve(organizationId),
      run: async (job) => await this.largePayloads.run(organizationId, job),
      outline: async (bytes) => await this.largePayloads.outline(organizationId, bytes),
    };
  }

  private read({ options }: Webhook, { request, record }: IncomingDelivery): TriggerRequest {
    const { method, headers, url } = request;
    const { receivedAt } = record;
    return readRequest({ method, headers, query: queryTextOf(url), receivedAt }, options.headers);
  }

  /** Counts a request once, even when it is checked again. */
  private consume(
    limit: CountedLimit,
    { organizationId, workflowId }: Webhook,
    { request, counted }: IncomingDelivery,
  ): void {
    if (counted.has(limit)) return;
    if (limit === 'organization') this.limiter.consume(organizationId, 1);
    else this.limiter.consumeOfPart(organizationId, workflowId, request.network());
    counted.add(limit);
  }
}

function invalidSignature({ options: { signature } }: Webhook): string {
  if (signature === undefined) return INVALID_SIGNATURE;
  return `${PRESETS[signature].header} must be the signature of ${PRESET_TITLES[signature]}, made with the secret.`;
}

/** Checks the signature as {@link schemeOf} does. Between the hashes of a large body, other requests are served. */
async function findScheme(
  webhook: Webhook,
  request: SignedRequest,
): Promise<ReturnType<typeof schemeOf>> {
  if (request.body.length <= SMALL_BODY_BYTES || webhook.secrets.length === 0) {
    return schemeOf(webhook, request);
  }
  for (const secret of webhook.secrets) {
    await nextTurn();
    const scheme = schemeOf({ ...webhook, secrets: [secret] }, request);
    if (scheme !== 'invalid') return scheme;
  }
  return 'invalid';
}

/**
 * Checks the signature. Returns its scheme, or `invalid`. Returns undefined when the webhook has no secret. The owner
 * reads the mistake in an invalid signature, such as `secret_sent`, with `list_webhook_deliveries` and on the page
 * Deliveries (`signatures/diagnose.ts` finds it).
 */
function schemeOf(
  { secrets, options }: Webhook,
  request: SignedRequest,
): SignatureScheme | 'preset' | 'invalid' | undefined {
  if (secrets.length === 0) return undefined;
  const { signature, toleranceSeconds } = options;
  const now = new Date();
  if (signature === undefined) {
    const { body, headers } = request;
    return verifyWebhook(body, headers, secrets, now, toleranceSeconds) ?? 'invalid';
  }
  const isValid = isPresetSignatureValid(signature, request, secrets, now, toleranceSeconds);
  return isValid ? 'preset' : 'invalid';
}

/**
 * Returns `Idempotency-Key`, or else `webhook-id`. With Standard Webhooks only `webhook-id` counts, because it is
 * signed. Otherwise somebody could replay a recorded delivery with another key and start a second run. For the same
 * reason, no key counts beside a hexadecimal signature when bodies are compared.
 */
function dedupeKeyOf(
  headers: IncomingHttpHeaders,
  scheme: SignatureScheme | 'preset' | undefined,
  hasDedupeSeconds: boolean,
): string | null {
  if (scheme === 'hex' && hasDedupeSeconds) return null;
  const names = scheme === 'standard' ? ['webhook-id'] : ['idempotency-key', 'webhook-id'];
  for (const name of names) {
    const key = headers[name];
    if (key === undefined) continue;
    if (typeof key === 'string' && DEDUPE_KEY.test(key)) return key;
    throw AppError.invalid(`${name} must be 1 to 255 visible ASCII characters.`);
  }
  return null;
}
