import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { SignaturePreset } from '../../definitions/webhook-options.js';
import type { SignedRequest } from './signed-request.js';
import { twilioContents } from './twilio-contents.js';
import { isTimely, TOLERANCE_SECONDS } from './verify-webhook.js';

const HEX = '([0-9a-fA-F]{64})';
const MAX_ELEMENTS = 16;

/** The signatures in the headers of a delivery, and their time, in the format of the provider. */
export interface PresetSignature {
  signatures: readonly Buffer[];
  /** The signed time in seconds since 1970, if the provider signs it. */
  timestamp?: string;
}

export interface Preset {
  /** The header with the signature. */
  header: string;
  /** The header with the id of the delivery, which the provider repeats when it sends a delivery again. */
  idHeader?: string;
  /** The member of the body that contains the id of the delivery. In contrast to a header, this member is signed. */
  idMember?: string;
  hash: 'sha1' | 'sha256';
  /** Parses the headers. Returns undefined when they do not have the form of the provider. */
  parse: (headers: IncomingHttpHeaders) => PresetSignature | undefined;
  /** Returns the contents that the provider may have signed, each in parts. */
  contents: (request: SignedRequest, timestamp: string) => (string | Uint8Array)[][];
}

/** The schemes as the providers document them. The key is always the whole secret as text. */
export const PRESETS: Readonly<Record<SignaturePreset, Preset>> = {
  github: { ...hub(), idHeader: 'x-github-delivery' },
  meta: hub(),
  shopify: {
    header: 'x-shopify-hmac-sha256',
    idHeader: 'x-shopify-webhook-id',
    hash: 'sha256',
    parse: (headers) =>
      parseOne(headers['x-shopify-hmac-sha256'], /^([A-Za-z0-9+/]{43}=)$/, 'base64'),
    contents: ({ body }) => [[body]],
  },
  slack: {
    header: 'x-slack-signature',
    idMember: 'event_id',
    hash: 'sha256',
    parse: (headers) => {
      const timestamp = headers['x-slack-request-timestamp'];
      if (typeof timestamp !== 'string' || !isTimestamp(timestamp)) return undefined;
      const parsed = parseOne(headers['x-slack-signature'], new RegExp(`^v0=${HEX}$`), 'hex');
      return parsed && { ...parsed, timestamp };
    },
    contents: ({ body }, timestamp) => [[`v0:${timestamp}:`, body]],
  },
  stripe: {
    header: 'stripe-signature',
    idMember: 'id',
    hash: 'sha256',
    parse: (headers) => parseStripe(headers['stripe-signature']),
    contents: ({ body }, timestamp) => [[`${timestamp}.`, body]],
  },
  twilio: {
    header: 'x-twilio-signature',
    idHeader: 'i-twilio-idempotency-token',
    hash: 'sha1',
    parse: (headers) => parseOne(headers['x-twilio-signature'], /^([A-Za-z0-9+/]{27}=)$/, 'base64'),
    contents: twilioContents,
  },
  typeform: {
    header: 'typeform-signature',
    idMember: 'event_id',
    hash: 'sha256',
    parse: (headers) =>
      parseOne(headers['typeform-signature'], /^sha256=([A-Za-z0-9+/]{43}=)$/, 'base64'),
    contents: ({ body }) => [[body]],
  },
};

/**
 * Returns true when the provider signed the request with one of the secrets. A signed time may differ from `now` by
 * `toleranceSeconds`, or 300 seconds.
 */
export function isPresetSignatureValid(
  name: SignaturePreset,
  request: SignedRequest,
  secrets: readonly string[],
  now: Date,
  toleranceSeconds = TOLERANCE_SECONDS,
): boolean {
  const parsed = PRESETS[name].parse(request.headers);
  if (!parsed || !isPresetSigned(name, request, parsed, secrets)) return false;
  return parsed.timestamp === undefined || isTimely(parsed.timestamp, now, toleranceSeconds);
}

/** Returns true when one of the signatures was made with one of the secrets. Does not check the signed time. */
export function isPresetSigned(
  name: SignaturePreset,
  request: SignedRequest,
  { signatures, timestamp = '' }: PresetSignature,
  secrets: readonly string[],
): boolean {
  const { hash, contents } = PRESETS[name];
  return contents(request, timestamp).some((parts) =>
    secrets.some((secret) => {
      const hmac = createHmac(hash, secret);
      for (const part of parts) hmac.update(part);
      const mac = hmac.digest();
      return signatures.some((signature) => timingSafeEqual(signature, mac));
    }),
  );
}

/** Returns the preset of a header in the format of GitHub, which Meta uses too. */
function hub(): Preset {
  const header = 'x-hub-signature-256';
  return {
    header,
    hash: 'sha256',
    parse: (headers) => parseOne(headers[header], new RegExp(`^sha256=${HEX}$`), 'hex'),
    contents: ({ body }) => [[body]],
  };
}

/** Parses a header with one signature. The form is checked, because decoders ignore unknown characters. */
function parseOne(
  given: string | string[] | undefined,
  form: RegExp,
  encoding: 'hex' | 'base64',
): PresetSignature | undefined {
  const found = typeof given === 'string' ? form.exec(given)?.[1] : undefined;
  return found === undefined ? undefined : { signatures: [Buffer.from(found, encoding)] };
}

/** Parses `t=1492774577,v1=5257…,v0=6ffb…`. There may be several `v1` while Stripe replaces a secret. */
function parseStripe(given: string | string[] | undefined): PresetSignature | undefined {
  if (typeof given !== 'string') return undefined;
  const elements = given.split(',', MAX_ELEMENTS);
  const timestamp = elements.find((element) => element.startsWith('t='))?.slice('t='.length);
  if (timestamp === undefined || !isTimestamp(timestamp)) return undefined;
  const form = new RegExp(`^v1=${HEX}$`);
  const signatures = elements.flatMap(
    (element) => parseOne(element, form, 'hex')?.signatures ?? [],
  );
  return signatures.length === 0 ? undefined : { signatures, timestamp };
}

function isTimestamp(text: string): boolean {
  return /^[0-9]{1,12}$/.test(text);
}
