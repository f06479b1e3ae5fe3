import type { Workflow } from './workflow.readers.ts';

/** Maps each provider whose signatures can be verified to its name. */
export const SENDERS = {
  github: 'GitHub',
  meta: 'Meta',
  shopify: 'Shopify',
  slack: 'Slack',
  stripe: 'Stripe',
  twilio: 'Twilio',
  typeform: 'Typeform',
} as const;

export type Sender = keyof typeof SENDERS;

/** Returns the provider whose signature the trigger expects. */
export function senderOf({ trigger }: Workflow): Sender | undefined {
  return findSender(trigger.signature);
}

export function findSender(value: unknown): Sender | undefined {
  return (Object.keys(SENDERS) as Sender[]).find((name) => name === value);
}

/** Lists the formats that a webhook can accept besides JSON objects. */
export const FORMATS = ['json', 'form', 'multipart', 'text', 'gzip', 'get'] as const;

export type Format = (typeof FORMATS)[number];

const SENDS_FORMS: readonly (Sender | undefined)[] = ['github', 'slack', 'twilio'];

/**
 * Returns the formats that the webhook accepts besides JSON objects. When nobody has chosen formats, returns forms if
 * the provider sends forms, or else nothing.
 */
export function formatsOf(workflow: Workflow): readonly Format[] {
  const { accept } = workflow.trigger;
  if (Array.isArray(accept)) return FORMATS.filter((format) => accept.includes(format));
  return SENDS_FORMS.includes(senderOf(workflow)) ? ['form'] : [];
}
