import { isDeepStrictEqual } from 'node:util';
import type { FaultList } from '../../errors/fault-list.js';
import { type Json, parseName } from './step-fields.js';
import { parseHeaderNames } from './webhook-headers.js';
import { parseAccept, type WebhookFormat } from './webhook-formats.js';

/** The providers whose signatures can be verified. */
export const SIGNATURE_PRESETS = [
  'github',
  'meta',
  'shopify',
  'slack',
  'stripe',
  'twilio',
  'typeform',
] as const;

export type SignaturePreset = (typeof SIGNATURE_PRESETS)[number];

/** The names by which people know the providers. */
export const PRESET_TITLES: Readonly<Record<SignaturePreset, string>> = {
  github: 'GitHub',
  meta: 'Meta',
  shopify: 'Shopify',
  slack: 'Slack',
  stripe: 'Stripe',
  twilio: 'Twilio',
  typeform: 'Typeform',
};

/** The providers that sign the time of a delivery. */
const TIMED_PRESETS: readonly SignaturePreset[] = ['slack', 'stripe'];

/** The options of a webhook besides its secret. */
export interface WebhookOptions {
  /**
   * The largest difference in seconds between the signed timestamp of a request and now. When absent, no timestamp is
   * needed.
   */
  toleranceSeconds?: number;
  /**
   * The longest time in seconds that the response waits for the end of the run. The response then contains the result
   * of the run.
   */
  waitSeconds?: number;
  /** The seconds within which a delivery without a key starts no run when an earlier delivery had the same body. */
  dedupeSeconds?: number;
  /** The provider whose signature every request must have. */
  signature?: SignaturePreset;
  /** The text that Meta sends when it asks whether the address wants its webhooks. */
  verifyToken?: string;
  /** The formats that deliveries may have, besides JSON objects by POST. */
  accept?: readonly WebhookFormat[];
  /** The delivery headers that expressions see, besides the usual headers. */
  headers?: readonly string[];
}

/**
 * The requirements of a definition for its webhook. `webhook-needs.ts` computes them whenever the definition changes.
 */
export interface WebhookNeeds {
  /**
   * True when the request is stored with each run, because an expression may read more of `trigger` than type and
   * payload.
   */
  request?: true;
  /** True when the sender waits for an answer, because a step may answer. */
  answer?: true;
}

/** The options of a webhook as they are stored, with the needs of its definition. Callers do not see `needs`. */
export interface StoredWebhookOptions extends WebhookOptions {
  needs?: WebhookNeeds;
}

export type WebhookOption = keyof WebhookOptions;

/** The options that the trigger of a definition sets. Null removes an option, and an absent option stays unchanged. */
export type WebhookOptionChanges = { [Name in WebhookOption]?: WebhookOptions[Name] | null };

/** The member of the trigger for each option. */
export const WEBHOOK_OPTION_MEMBERS: Readonly<Record<WebhookOption, string>> = {
  toleranceSeconds: 'tolerance_seconds',
  waitSeconds: 'wait_seconds',
  dedupeSeconds: 'dedupe_seconds',
  signature: 'signature',
  verifyToken: 'verify_token',
  accept: 'accept',
  headers: 'headers',
};

const WEBHOOK_OPTIONS = Object.keys(WEBHOOK_OPTION_MEMBERS) as WebhookOption[];
/** The options that protect nothing without a secret. They are removed together with the secret. */
const NEEDS_SECRET = ['signature', 'toleranceSeconds'] as const;
const MAX_TOLERANCE = 24 * 60 * 60;
/** The longest wait of a sender, in seconds. */
export const MAX_WAIT = 30;
const MAX_DEDUPE = 7 * 24 * 60 * 60;
const VERIFY_TOKEN = /^[\x21-\x7e]{1,255}$/;

/** Parses the options of a webhook trigger. Adds every fault with its path. */
export function parseWebhookOptions(trigger: Json, faults: FaultList): WebhookOptionChanges {
  return {
    toleranceSeconds: parseSeconds(trigger, 'tolerance_seconds', MAX_TOLERANCE, faults),
    waitSeconds: parseSeconds(trigger, 'wait_seconds', MAX_WAIT, faults),
    dedupeSeconds: parseSeconds(trigger, 'dedupe_seconds', MAX_DEDUPE, faults),
    signature: parsePreset(trigger.signature, faults),
    verifyToken: parseVerifyToken(trigger.verify_token, faults),
    accept: parseAccept(trigger.accept, faults),
    headers: parseHeaderNames(trigger.headers, faults),
  };
}

/** Returns the options after a change. Adds a fault for every option that does not fit the others. */
export function changeWebhookOptions(
  before: StoredWebhookOptions,
  changes: WebhookOptionChanges,
  hasSecret: boolean,
  faults: FaultList,
): StoredWebhookOptions {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const changed = Object.entries({ ...before, ...Object.fromEntries(given) });
  const options: StoredWebhookOptions = Object.fromEntries(
    changed.filter(([, value]) => value !== null && value !== undefined),
  );
  if (!hasSecret) {
    for (const option of NEEDS_SECRET) {
      if (changes[option] !== undefined && changes[option] !== null) {
        const path = `trigger.${WEBHOOK_OPTION_MEMBERS[option]}`;
        faults.push({ path, message: 'needs a secret' });
      }
      delete options[option];
    }
  }
  const { signature, toleranceSeconds, verifyToken, accept } = options;
  if (verifyToken !== undefined && signature !== 'meta') {
    if (typeof changes.verifyToken === 'string') {
      faults.push({ path: 'trigger.verify_token', message: 'needs "signature": "meta"' });
    }
    delete options.verifyToken;
  }
  if (toleranceSeconds !== undefined && signature && !TIMED_PRESETS.includes(signature)) {
    const message = `must be null, because ${PRESET_TITLES[signature]} does not sign the time`;
    faults.push({ path: 'trigger.tolerance_seconds', message });
  }
  if (hasSecret && accept?.includes('get') && signature !== 'twilio') {
    const message =
      'must not have "get" together with a secret, because only Twilio signs the query';
    faults.push({ path: 'trigger.accept', message });
  }
  return options;
}

/** Returns true when the options that callers choose are equal. */
export function hasSameOptions(one: StoredWebhookOptions, other: StoredWebhookOptions): boolean {
  return isDeepStrictEqual({ ...one, needs: undefined }, { ...other, needs: undefined });
}

/** Returns the options as members of a trigger. */
export function toTriggerMembers(options: WebhookOptions): Record<string, unknown> {
  return Object.fromEntries(
    WEBHOOK_OPTIONS.flatMap((option): [string, unknown][] =>
      options[option] === undefined ? [] : [[WEBHOOK_OPTION_MEMBERS[option], options[option]]],
    ),
  );
}

function parsePreset(given: unknown, faults: FaultList): SignaturePreset | null | undefined {
  if (given === undefined || given === null) return given;
  return parseName(given, SIGNATURE_PRESETS, 'trigger.signature', faults);
}

function parseVerifyToken(given: unknown, faults: FaultList): string | null | undefined {
  if (given === undefined || given === null) return given;
  if (typeof given === 'string' && VERIFY_TOKEN.test(given)) return given;
  const message = 'must be null or 1 to 255 visible ASCII characters';
  faults.push({ path: 'trigger.verify_token', message });
  return undefined;
}

function parseSeconds(
  trigger: Json,
  name: string,
  most: number,
  faults: FaultList,
): number | null | undefined {
  const seconds = trigger[name];
  if (seconds === undefined || seconds === null || isWhole(seconds, 1, most)) return seconds;
  const message = `must be null or a whole number from 1 to ${most}`;
  faults.push({ path: `trigger.${name}`, message });
  return undefined;
}

export function isWhole(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}
