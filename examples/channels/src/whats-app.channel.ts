import { Injectable } from '@nestjs/common';
import {
  Channel,
  type ChannelContact,
  type ChannelContent,
  type DeliveryChannel,
  type Fault,
  type Handover,
  MessagesService,
  type OutgoingMessage,
  type ProviderAccount,
  ProviderRequests,
  TenantDatabase,
  toFailure,
} from 'switchboard';

const MOST_CHARACTERS = 4096;
const WINDOW_MS = 24 * 60 * 60 * 1000;

interface CloudAnswer {
  messages?: { id?: string }[];
  error?: { message?: string };
}

/**
 * Sends over the WhatsApp Cloud API. Free text is allowed for 24 hours after a message of the contact. A call of
 * record_message with the channel whatsapp stores such a message. After these 24 hours, the channel sends the template
 * that the settings name, with the text as its only variable.
 */
@Channel({
  name: 'whatsapp',
  title: 'WhatsApp',
  address: 'phone number',
  providers: {
    cloud: {
      title: 'WhatsApp Cloud API',
      fields: {
        phone_number_id: {
          title: 'Id of the phone number',
          pattern: /\d{1,32}/,
          rule: 'must be digits',
        },
        template: { title: 'Template after 24 hours', optional: true, pattern: /[a-z0-9_]{1,512}/ },
        language: { title: 'Language of the template', default: 'en_US', pattern: /[A-Za-z_]+/ },
        base_url: {
          title: 'Base URL',
          default: 'https://graph.facebook.com/v23.0',
          decidesReceiver: true,
          pattern: /https?:\/\/[^\s?#@]+/,
          rule: 'must be an http or https URL',
        },
      },
      secret: { title: 'Access token', pattern: /[\x21-\x7e]{1,2000}/ },
    },
  },
})
@Injectable()
export class WhatsAppChannel implements DeliveryChannel {
  constructor(
    private readonly requests: ProviderRequests,
    private readonly messages: MessagesService,
    private readonly tenants: TenantDatabase,
  ) {}

  addressOf({ phone }: ChannelContact): string | null {
    return phone;
  }

  isAddress(address: string): boolean {
    return /^\+[1-9]\d{6,14}$/.test(address);
  }

  checkContent({ body }: ChannelContent): Fault[] {
    return body.length > MOST_CHARACTERS
      ? [{ path: 'body', message: `must have at most ${MOST_CHARACTERS} characters for whatsapp` }]
      : [];
  }

  async handOver(
    message: OutgoingMessage,
    account: ProviderAccount | undefined,
    signal: AbortSignal,
  ): Promise<Handover> {
    const { settings, secret } = account!;
    const isOpen = await this.isWindowOpen(message);
    if (!isOpen && settings.template === undefined) {
      const reason =
        'The contact has not written for 24 hours. Enter a template in the settings of the provider.';
      return { outcome: 'refused', code: 'provider_refused', reason };
    }
    const content = isOpen
      ? { type: 'text', text: { body: message.body } }
      : { type: 'template', template: templateOf(settings, message.body) };
    const to = message.to.slice(1);
    const request = {
      url: `${settings.base_url}/${settings.phone_number_id}/messages`,
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ messaging_product: 'whatsapp', to, ...content }),
    };
    const { response, failure } = await this.requests.send(request, signal);
    if (failure) return failure;
    const answer = (response.body ?? {}) as CloudAnswer;
    if (response.status !== 200) return toFailure(response, answer.error?.message);
    const providerMessageId = answer.messages?.[0]?.id;
    return { outcome: 'sent', ...(providerMessageId !== undefined && { providerMessageId }) };
  }

  /** Returns true when the contact has written in the last 24 hours. */
  private async isWindowOpen({ organizationId, contactId }: OutgoingMessage): Promise<boolean> {
    if (contactId === null) return false;
    const filter = {
      contactId,
      channel: 'whatsapp',
      statuses: ['received'] as const,
      createdAfter: new Date(Date.now() - WINDOW_MS),
    };
    const page = { limit: 1, cursor: undefined };
    const { messages } = await this.tenants.transaction(
      organizationId,
      () => this.messages.list(organizationId, filter, page),
      { readOnly: true },
    );
    return messages.length > 0;
  }
}

function templateOf(settings: Readonly<Record<string, string>>, body: string): object {
  const parameters = [{ type: 'text', text: body }];
  const language = { code: settings.language };
  return { name: settings.template, language, components: [{ type: 'body', parameters }] };
}
