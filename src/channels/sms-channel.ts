import { Injectable } from '@nestjs/common';
import type { Fault } from '../errors/app-error.js';
import type {
  ChannelContact,
  ChannelContent,
  DeliveryChannel,
  Handover,
  OutgoingMessage,
  ProviderAccount,
} from './channel-contract.js';
import { Channel } from './channel.decorator.js';
import { ProviderRequests } from './provider-requests.js';
import { TWILIO, VONAGE } from './sms-providers.js';
import { sendByTwilio } from './twilio.js';
import { sendByVonage } from './vonage.js';

/** The longest body. Twilio refuses longer ones, and other providers split them into ten parts or more. */
const MOST_CHARACTERS = 1600;

/** Sends SMS over a provider of the organization. */
@Channel({
  name: 'sms',
  title: 'SMS',
  address: 'phone number',
  providers: { twilio: TWILIO, vonage: VONAGE },
})
@Injectable()
export class SmsChannel implements DeliveryChannel {
  constructor(private readonly requests: ProviderRequests) {}

  addressOf({ phone }: ChannelContact): string | null {
    return phone;
  }

  isAddress(address: string): boolean {
    return /^\+[1-9][0-9]{6,14}$/.test(address);
  }

  checkContent({ body }: ChannelContent): Fault[] {
    return body.length > MOST_CHARACTERS
      ? [{ path: 'body', message: `must have at most ${MOST_CHARACTERS} characters for sms` }]
      : [];
  }

  async handOver(
    message: OutgoingMessage,
    account: ProviderAccount | undefined,
    signal: AbortSignal,
  ): Promise<Handover> {
    const send = account!.kind === 'vonage' ? sendByVonage : sendByTwilio;
    return await send(this.requests, message, account!, signal);
  }
}
