import { Injectable } from '@nestjs/common';
import { createHmac } from 'node:crypto';
import type { Fault } from '../errors/app-error.js';
import { parseUrl } from '../text/parse-url.js';
import type {
  ChannelContact,
  DeliveryChannel,
  Handover,
  OutgoingMessage,
  ProviderAccount,
} from './channel-contract.js';
import { Channel } from './channel.decorator.js';
import { ProviderRequests, toFailure } from './provider-requests.js';

/** The property of a contact that contains the URL. */
const URL_PROPERTY = 'webhook_url';
/** The longest URL, in bytes. PostgreSQL could not put a much longer one into the index of suppressed addresses. */
const LONGEST_URL = 1024;
const PREFIX = 'whsec_';

/**
 * Sends a message as an HTTP POST to the URL in the property webhook_url of the contact, signed as the specification
 * Standard Webhooks says. The id of the message is the header `webhook-id`, by which a receiver recognizes a duplicate.
 */
@Channel({
  name: 'webhook',
  title: 'Webhook',
  address: 'property webhook_url with an http or https URL',
  subject: 'optional',
  providers: {
    standard_webhooks: {
      title: 'Standard Webhooks',
      fields: {},
      secret: {
        title: 'Signing secret',
        pattern: /whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?/,
        rule: 'must be whsec_ and 24 to 64 bytes in base64',
      },
    },
  },
})
@Injectable()
export class WebhookChannel implements DeliveryChannel {
  constructor(private readonly requests: ProviderRequests) {}

  addressOf({ properties }: ChannelContact): string | null {
    const url = properties[URL_PROPERTY];
    return typeof url === 'string' && url !== '' ? url : null;
  }

  isAddress(address: string): boolean {
    const url = Buffer.byteLength(address) > LONGEST_URL ? undefined : parseUrl(address);
    if (!url) return false;
    const { protocol, username, password } = url;
    return /^https?:$/.test(protocol) && username === '' && password === '';
  }

  checkContent(): Fault[] {
    return [];
  }

  async handOver(
    { id, to, subject, body, createdAt }: OutgoingMessage,
    account: ProviderAccount | undefined,
    signal: AbortSignal,
  ): Promise<Handover> {
    const content = JSON.stringify({
      type: 'message',
      timestamp: createdAt.toISOString(),
      data: { id, subject, body },
    });
    const seconds = String(Math.floor(Date.now() / 1000));
    const answer = await this.requests.send(
      {
        url: to,
        headers: {
          'Content-Type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': seconds,
          'webhook-signature': sign(account!.secret, `${id}.${seconds}.${content}`),
        },
        body: content,
      },
      signal,
    );
    if (answer.failure) return answer.failure;
    const { status } = answer.response;
    return status >= 200 && status <= 299 ? { outcome: 'sent' } : toFailure(answer.response);
  }
}

function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}
