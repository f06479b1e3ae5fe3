import type { Handover, OutgoingMessage, ProviderAccount } from './channel-contract.js';
import { type ProviderRequests, textMember, toFailure, withoutSlash } from './provider-requests.js';

/** Sends an SMS over the REST API of Twilio. Each status report names the message in the query of its URL. */
export async function sendByTwilio(
  requests: ProviderRequests,
  { id, to, body }: OutgoingMessage,
  { settings, secret }: ProviderAccount,
  signal: AbortSignal,
): Promise<Handover> {
  const { account_sid: sid = '', from, messaging_service_sid: service } = settings;
  const form = new URLSearchParams({ To: to, Body: body });
  if (service !== undefined) form.set('MessagingServiceSid', service);
  if (from !== undefined) form.set('From', from);
  if (settings.status_callback !== undefined) {
    form.set('StatusCallback', `${settings.status_callback}?message_id=${encodeURIComponent(id)}`);
  }
  const answer = await requests.send(
    {
      url: `${withoutSlash(settings.base_url!)}/2010-04-01/Accounts/${sid}/Messages.json`,
      headers: {
        Authorization: `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}`,
        'Content-Type': 'application/x-www-form-urlencoded',
        Accept: 'application/json',
      },
      body: form.toString(),
    },
    signal,
  );
  if (answer.failure) return answer.failure;
  const { response } = answer;
  if (response.status < 200 || response.status > 299) {
    return toFailure(response, textMember(response.body, 'message'));
  }
  const providerMessageId = textMember(response.body, 'sid');
  return { outcome: 'sent', ...(providerMessageId !== undefined && { providerMessageId }) };
}
