import type { IncomingHttpHeaders } from 'node:http';
import { newId } from '../../text/ids.js';
import { PRESETS } from './signatures/verify-preset.js';
import type { DeliveryKind, WebhookDelivery } from './webhook-delivery.entity.js';
import type { Webhook } from './webhook.js';

/** The largest body, in bytes, of a test delivery that is stored. */
const MAX_STORED_BYTES = 16 * 1024;
const MAX_HEADER_LENGTH = 255;
const STORED_HEADERS = [
  'content-type',
  'content-encoding',
  'user-agent',
  'idempotency-key',
  'webhook-id',
  'webhook-timestamp',
  'x-slack-request-timestamp',
  ...Object.values(PRESETS).flatMap(({ idHeader }) => idHeader ?? []),
];
const SIGNATURE_HEADERS = [
  'x-webhook-signature',
  'webhook-signature',
  ...new Set(Object.values(PRESETS).map(({ header }) => header)),
];

/** A request to a webhook and its response, for the delivery log. */
export interface DeliveryRecord {
  kind: DeliveryKind;
  status: number;
  code: string;
  runId?: string;
  headers: IncomingHttpHeaders;
  /** The address with the query, as the sender uses it. It is not stored. */
  url: string;
  /** True when the signature was valid, or the webhook has no secret. */
  verified: boolean;
  /** The body. Absent when it was not read or is no longer needed. */
  body?: Buffer;
  /** The size and SHA-256 of the body. Absent when the body was not read. */
  digest?: { bytes: number; hash: Buffer };
  receivedAt: Date;
}

/** Returns the row of a delivery. It keeps no header, URL or body that is not stored. */
export function deliveryOf(webhook: Webhook, record: DeliveryRecord): WebhookDelivery {
  const { body, digest, kind, runId = null, headers, url: _, ...rest } = record;
  const isStored = kind === 'test' && rest.status < 400 && body && body.length <= MAX_STORED_BYTES;
  return {
    ...rest,
    organizationId: webhook.organizationId,
    id: newId('dlv'),
    workflowId: webhook.workflowId,
    kind,
    runId,
    headers: storedHeaders(headers, webhook.secrets),
    bodyBytes: digest?.bytes ?? null,
    bodyHash: digest?.hash ?? null,
    body: isStored ? body : null,
    mistakes: [],
  };
}

/**
 * Returns the headers that are stored, without secrets. Only the length of a signature is stored: a stored signature
 * could be replayed, and some senders send the secret instead of the signature.
 */
function storedHeaders(
  headers: IncomingHttpHeaders,
  secrets: readonly string[],
): Record<string, string> {
  const stored: Record<string, string> = {};
  for (const name of STORED_HEADERS) {
    const value = headers[name];
    if (typeof value !== 'string') continue;
    const isSecret = secrets.some((secret) => value.includes(secret));
    stored[name] = isSecret ? '(the secret)' : beginningOf(value);
  }
  for (const name of SIGNATURE_HEADERS) {
    const value = headers[name];
    if (value !== undefined) stored[name] = `(${String(value).length} characters)`;
  }
  return stored;
}

/** Returns the part of a header that is stored. */
function beginningOf(value: string): string {
  if (value.length <= MAX_HEADER_LENGTH) return value;
  // V8 makes a part of a text that refers to the whole text. A copy lets the whole text be freed.
  return Buffer.from(value.slice(0, MAX_HEADER_LENGTH)).toString();
}
