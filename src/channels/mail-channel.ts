import { Injectable } from '@nestjs/common';
import type { Fault } from '../errors/app-error.js';
import { type Delivery, EmailChannel } from '../mail/email-channel.js';
import { FilesService, type HeldFiles } from '../files/files.service.js';
import { SendersService } from '../senders/senders.service.js';
import { parseEmail } from '../text/parse-email.js';
import type {
  ChannelContact,
  DeliveryChannel,
  Handover,
  OutgoingMessage,
  ProviderAccount,
} from './channel-contract.js';
import { CHANNEL_EXTRAS, Channel } from './channel.decorator.js';

const CODES = {
  refused: 'provider_refused',
  failed: 'provider_unavailable',
  unknown: 'connection_lost',
} as const;
const NO_FILES: HeldFiles = { files: [], release: () => undefined };
const UNREADABLE = 'The content of the e-mail could not be read.';

/** Sends e-mails over the mail server of the installation, or writes them to files. */
@Channel({
  name: 'email',
  title: 'E-mail',
  address: 'e-mail address',
  subject: 'required',
  carries: CHANNEL_EXTRAS,
  // Every attempt has the same Message-ID, by which mail servers and programs recognize a duplicate.
  onUncertain: 'resend',
})
@Injectable()
export class MailChannel implements DeliveryChannel {
  constructor(
    private readonly email: EmailChannel,
    private readonly senders: SendersService,
    private readonly files: FilesService,
  ) {}

  get writesFiles(): boolean {
    return this.email.writesFiles;
  }

  addressOf({ email }: ChannelContact): string | null {
    return email;
  }

  isAddress(address: string): boolean {
    return 'value' in parseEmail(address);
  }

  /** Returns no faults, because MessagesService checks the subject and the size of every e-mail. */
  checkContent(): Fault[] {
    return [];
  }

  async handOver(
    message: OutgoingMessage,
    _account: ProviderAccount | undefined,
    signal: AbortSignal,
  ): Promise<Handover> {
    const { id, organizationId, to, subject, body, html, envelope, createdAt, unsubscribeUrl } =
      message;
    const from = envelope?.from;
    // After the message was accepted, the domain or its DNS record may have been removed.
    const sender = from && (await this.senders.find(organizationId, from.address));
    if (from && !sender) {
      const reason = `The domain of ${from.address} is not verified. See Settings, Sender domains.`;
      return { outcome: 'refused', code: 'sender_unverified', reason };
    }
    const attachments = envelope?.attachments ?? [];
    let held = NO_FILES;
    try {
      // The files are read before a connection to the mail server is used. Otherwise an organization whose files are
      // read slowly would keep connections from others.
      const files = attachments.map(({ fileId, size }) => ({ id: fileId, size }));
      if (files.length > 0) held = await this.files.hold(organizationId, files, signal);
    } catch {
      return { outcome: 'failed', code: CODES.failed, reason: UNREADABLE };
    }
    const email = {
      id,
      organizationId,
      to,
      subject: subject ?? '',
      text: body,
      html,
      date: createdAt,
      unsubscribe: unsubscribeUrl ?? undefined,
      key: sender?.key ?? undefined,
      // The members are named one by one: a stored envelope must not replace the address or the text.
      ...(from && { from }),
      ...(envelope?.replyTo && { replyTo: envelope.replyTo }),
      ...(envelope?.references && { references: envelope.references }),
      attachments: attachments.map(({ fileId: _, ...facts }, index) => ({
        ...facts,
        chunks: held.files[index]!,
      })),
    };
    try {
      return toHandover(await this.email.deliver(email, signal));
    } finally {
      held.release();
    }
  }
}

function toHandover(delivery: Delivery): Handover {
  if (delivery.outcome === 'sent') return { outcome: 'sent' };
  const { outcome, reason } = delivery;
  if (outcome === 'refused' && delivery.isUnknownMailbox) {
    return { outcome, code: 'bounced', reason };
  }
  return { outcome, code: CODES[outcome], reason };
}
