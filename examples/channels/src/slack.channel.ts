import { Injectable } from '@nestjs/common';
import {
  Channel,
  type ChannelContact,
  type ChannelContent,
  type DeliveryChannel,
  type Fault,
  type Handover,
  type OutgoingMessage,
  type ProviderAccount,
  ProviderRequests,
  toFailure,
} from 'switchboard';

const MOST_CHARACTERS = 40_000;
/** The errors after which another attempt may succeed. Slack sends them with the status 200. */
const TEMPORARY = new Set(['ratelimited', 'rate_limited', 'service_unavailable', 'internal_error']);

interface SlackAnswer {
  ok?: boolean;
  error?: string;
  ts?: string;
}

/** Writes to the Slack user or conversation whose id is the property slack_id of the contact (chat.postMessage). */
@Channel({
  name: 'slack',
  title: 'Slack',
  address: 'property slack_id',
  providers: {
    bot: {
      title: 'Slack bot',
      fields: {
        base_url: {
          title: 'Base URL',
          default: 'https://slack.com/api',
          decidesReceiver: true,
          pattern: /https?:\/\/[^\s?#@]+/,
          rule: 'must be an http or https URL',
        },
      },
      secret: { title: 'Bot token', pattern: /xoxb-[\w-]{1,200}/, rule: 'must begin with xoxb-' },
    },
  },
})
@Injectable()
export class SlackChannel implements DeliveryChannel {
  constructor(private readonly requests: ProviderRequests) {}

  addressOf({ properties }: ChannelContact): string | null {
    return typeof properties.slack_id === 'string' ? properties.slack_id : null;
  }

  isAddress(address: string): boolean {
    return /^[CDGUW][A-Z0-9]{2,30}$/.test(address);
  }

  checkContent({ body }: ChannelContent): Fault[] {
    return body.length > MOST_CHARACTERS
      ? [{ path: 'body', message: `must have at most ${MOST_CHARACTERS} characters for slack` }]
      : [];
  }

  async handOver(
    { to, body }: OutgoingMessage,
    account: ProviderAccount | undefined,
    signal: AbortSignal,
  ): Promise<Handover> {
    const request = {
      url: `${account!.settings.base_url}/chat.postMessage`,
      headers: {
        Authorization: `Bearer ${account!.secret}`,
        'Content-Type': 'application/json; charset=utf-8',
      },
      body: JSON.stringify({ channel: to, text: body }),
    };
    const { response, failure } = await this.requests.send(request, signal);
    if (failure) return failure;
    if (response.status !== 200) return toFailure(response);
    return readAnswer((response.body ?? {}) as SlackAnswer);
  }
}

function readAnswer({ ok, error, ts }: SlackAnswer): Handover {
  if (ok === true) return { outcome: 'sent', ...(ts !== undefined && { providerMessageId: ts }) };
  // Slack says about fatal_error that a part of the call may have succeeded.
  if (typeof error !== 'string' || error === 'fatal_error') {
    const reason = 'Slack did not say whether it has the message.';
    return { outcome: 'unknown', code: 'connection_lost', reason };
  }
  const reason = `Slack answered ${error.slice(0, 100)}.`;
  return TEMPORARY.has(error)
    ? { outcome: 'failed', code: 'provider_unavailable', reason }
    : { outcome: 'refused', code: 'provider_refused', reason };
}
