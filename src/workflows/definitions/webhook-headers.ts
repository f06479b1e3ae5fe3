import type { FaultList } from '../../errors/fault-list.js';

/** The headers that expressions see for every delivery. */
export const USUAL_HEADERS = ['content-type', 'user-agent', 'x-request-id'] as const;

/** The headers that expressions never see, because steps could send or show their secrets. */
export const HIDDEN_HEADERS: readonly string[] = [
  'authorization',
  'cookie',
  'proxy-authorization',
  'set-cookie',
  'stripe-signature',
  'webhook-signature',
  'x-hub-signature',
  'x-hub-signature-256',
  'x-shopify-hmac-sha256',
  'x-slack-signature',
  'typeform-signature',
  'x-twilio-signature',
  'x-webhook-signature',
];

const MAX_HEADERS = 20;
const HEADER_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Parses the member `headers` of a trigger. Returns the names in lowercase, each once. */
export function parseHeaderNames(
  given: unknown,
  faults: FaultList,
): readonly string[] | null | undefined {
  if (given === undefined || given === null) return given;
  const path = 'trigger.headers';
  if (!Array.isArray(given) || given.length > MAX_HEADERS) {
    faults.push({ path, message: `must be null or a list of at most ${MAX_HEADERS} header names` });
    return undefined;
  }
  const names = given.map((one: unknown, index) =>
    parseHeaderName(one, `${path}[${index}]`, faults),
  );
  return [...new Set(names)];
}

function parseHeaderName(given: unknown, path: string, faults: FaultList): string {
  const name = typeof given === 'string' ? given.toLowerCase() : '';
  if (!HEADER_NAME.test(name)) {
    faults.push({ path, message: 'must be the name of a header, such as x-github-event' });
  } else if (HIDDEN_HEADERS.includes(name)) {
    faults.push({ path, message: `must not be ${name}: it contains a secret or a signature` });
  }
  return name;
}
