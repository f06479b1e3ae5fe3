import type { FaultList } from '../../errors/fault-list.js';
import { parseName } from './step-fields.js';

/** The formats and methods that a webhook can accept besides a JSON object by POST. */
export const WEBHOOK_FORMATS = ['json', 'form', 'multipart', 'text', 'gzip', 'get'] as const;

export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** The providers whose webhooks can have forms as bodies. */
const SENDS_FORMS: readonly string[] = ['github', 'slack', 'twilio'];

/** Returns the formats of `accept`. Without `accept`, returns the formats that the provider of the signature sends. */
export function acceptedFormats(options: {
  accept?: readonly WebhookFormat[];
  signature?: string;
}): readonly WebhookFormat[] {
  const { accept, signature } = options;
  if (accept) return accept;
  return signature !== undefined && SENDS_FORMS.includes(signature) ? ['form'] : [];
}

/** Parses the member `accept` of a trigger. */
export function parseAccept(
  given: unknown,
  faults: FaultList,
): readonly WebhookFormat[] | null | undefined {
  if (given === undefined || given === null) return given;
  const path = 'trigger.accept';
  if (!Array.isArray(given) || given.length > WEBHOOK_FORMATS.length) {
    const message = `must be null or a list of ${WEBHOOK_FORMATS.join(', ')}`;
    faults.push({ path, message });
    return undefined;
  }
  const names = given.map((one: unknown, index) =>
    parseName(one, WEBHOOK_FORMATS, `${path}[${index}]`, faults),
  );
  return WEBHOOK_FORMATS.filter((format) => names.includes(format));
}
