import { visibleLine } from '../text/visible-line.js';
import type { Handover, OutgoingMessage, ProviderAccount } from './channel-contract.js';
import {
  LONGEST_QUOTATION,
  type ProviderRequests,
  textMember,
  toFailure,
  withoutSlash,
} from './provider-requests.js';

/**
 * The temporary statuses of Vonage: throttled, internal error, no credit. The HTTP status of a response is always 200.
 */
const TEMPORARY: Readonly<Record<string, 'rate_limited' | 'provider_unavailable'>> = {
  1: 'rate_limited',
  5: 'provider_unavailable',
  9: 'provider_unavailable',
};
/** Matches a text that fits the GSM 7-bit alphabet. Other texts must be sent as Unicode. */
const GSM =
  /^[\n\r !"#$%&'()*+,\-./0-9:;<=>?@A-Z[\\\]^_a-z{|}~£¥èéùìòÇØøÅåΔΦΓΛΩΠΨΣΘΞÆæßÉ¤¡ÄÖÑÜ§¿äöñüà€]*$/;

/** Sends an SMS over the SMS API of Vonage. The reports of Vonage repeat the id of the message as `client-ref`. */
export async function sendByVonage(
  requests: ProviderRequests,
  { id, to, body }: OutgoingMessage,
  { settings, secret }: ProviderAccount,
  signal: AbortSignal,
): Promise<Handover> {
  const form = new URLSearchParams({
    api_key: settings.api_key ?? '',
    api_secret: secret,
    from: (settings.from ?? '').replace(/^\+/, ''),
    to: to.replace(/^\+/, ''),
    text: body,
    'client-ref': id,
  });
  if (!GSM.test(body)) form.set('type', 'unicode');
  if (settings.status_callback !== undefined) form.set('callback', settings.status_callback);
  const answer = await requests.send(
    {
      url: `${withoutSlash(settings.base_url!)}/sms/json`,
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Accept: 'application/json',
      },
      body: form.toString(),
    },
    signal,
  );
  if (answer.failure) return answer.failure;
  const { response } = answer;
  if (response.status < 200 || response.status > 299) return toFailure(response);
  return readParts(response.body);
}

/** Returns the outcome from the statuses of all parts. A long text is sent in parts, each with its own status. */
function readParts(body: unknown): Handover {
  const parts = (body as { messages?: unknown } | null)?.messages;
  if (!Array.isArray(parts) || parts.length === 0) {
    const reason = 'The provider answered without the status of the message.';
    return { outcome: 'unknown', code: 'connection_lost', reason };
  }
  const statuses = parts.map((part) => textMember(part, 'status'));
  const failed = statuses.findIndex((status) => status !== '0');
  if (failed < 0) {
    const providerMessageId = textMember(parts[0], 'message-id');
    return { outcome: 'sent', ...(providerMessageId !== undefined && { providerMessageId }) };
  }
  const status = statuses[failed] ?? 'none';
  const said = visibleLine(textMember(parts[failed], 'error-text') ?? '', LONGEST_QUOTATION);
  const reason = `The provider answered with the status ${visibleLine(status, 20)}: ${said}`;
  if (statuses.includes('0')) return { outcome: 'unknown', code: 'connection_lost', reason };
  const code = Object.hasOwn(TEMPORARY, status) ? TEMPORARY[status] : undefined;
  return code
    ? { outcome: 'failed', code, reason }
    : { outcome: 'refused', code: 'provider_refused', reason };
}
