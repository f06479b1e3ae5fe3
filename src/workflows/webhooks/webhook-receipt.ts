import type { IncomingHttpHeaders } from 'node:http';
import { newId } from '../../text/ids.js';
import type { DeliveryKind, WebhookDelivery } from './webhook-delivery.entity.js';
import type { Webhook } from './webhook.js';

/** A test's body is kept up to this size. */
const MOST_KEPT_BYTES = 16 * 1024;
const MOST_HEADER = 255;
const SHOWN = [
  'content-type',
  'content-encoding',
  'user-agent',
  'idempotency-key',
  'webhook-id',
  'webhook-timestamp',
];
const SIGNATURES = ['x-webhook-signature', 'webhook-signature'];

/** What is told of a body. */
export interface BodyDigest {
  bytes: number;
  /** SHA-256. */
  hash: Buffer;
}

/** What is known of a request once its answer is. */
export interface Receipt {
  kind: DeliveryKind;
  status: number;
  code: string;
  runId?: string;
  headers: IncomingHttpHeaders;
  /** Absent when it was not read, or nobody needs it any more. */
  body?: Buffer;
  /** Absent when it was not read. */
  digest?: BodyDigest;
  receivedAt: Date;
}

/** The row that the receipt becomes. */
export function deliveryOf(webhook: Webhook, receipt: Receipt): WebhookDelivery {
  const { body, digest, kind, runId = null, headers, ...rest } = receipt;
  const isKept = kind === 'test' && rest.status < 400 && body && body.length <= MOST_KEPT_BYTES;
  return {
    ...rest,
    organizationId: webhook.organizationId,
    id: newId('dlv'),
    workflowId: webhook.workflowId,
    kind,
    runId,
    headers: shownHeaders(headers, webhook.secrets),
    bodyBytes: digest?.bytes ?? null,
    bodyHash: digest?.hash ?? null,
    body: isKept ? body : null,
    mistakes: [],
  };
}

/** Of signatures only their length: with the body one could be sent again, and some send the secret in their place. */
function shownHeaders(
  headers: IncomingHttpHeaders,
  secrets: readonly string[],
): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const name of SHOWN) {
    const value = headers[name];
    if (typeof value !== 'string') continue;
    const isSecret = secrets.some((secret) => value.includes(secret));
    shown[name] = isSecret ? '(the secret)' : value.slice(0, MOST_HEADER);
  }
  for (const name of SIGNATURES) {
    const value = headers[name];
    if (value !== undefined) shown[name] = `(${String(value).length} characters)`;
  }
  return shown;
}
