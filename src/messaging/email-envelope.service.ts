import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import { MOST_REFERENCES } from '../channels/read-envelope.js';
import { AppError } from '../errors/app-error.js';
import { SendersService } from '../senders/senders.service.js';
import { isMessageId, messageIdOf } from '../text/message-id.js';
import { type Mailbox, parseMailbox } from '../text/parse-mailbox.js';
import { type GivenAttachment, MessageAttachmentsService } from './message-attachments.service.js';
import type { EmailEnvelope, Message } from './message.entity.js';
import { MessagesRepository } from './messages.repository.js';

/** The addresses and e-mail headers that the caller has set. */
export interface GivenEnvelope {
  /** One address of a verified domain, with or without a name. */
  from?: string;
  /** One address, with or without a name. */
  replyTo?: string;
  /** The id of the message that this message answers or continues. */
  inReplyTo?: string;
  /** The attached files. Together they have at most 10 MiB. */
  attachments?: readonly GivenAttachment[];
}

/** Makes the headers that the sender of an e-mail chooses. */
@Injectable()
export class EmailEnvelopeService {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly senders: SendersService,
    private readonly attachments: MessageAttachmentsService,
    private readonly env: Env,
  ) {}

  /**
   * Returns the envelope, or null when nothing was given. Throws `invalid_arguments`, and `not_found` for an unknown
   * file.
   */
  async compose(
    organizationId: string,
    { from, replyTo, inReplyTo, attachments, html }: GivenEnvelope & { html?: string },
  ): Promise<EmailEnvelope | null> {
    const envelope: EmailEnvelope = {
      ...(from !== undefined && { from: await this.readSender(organizationId, from) }),
      ...(replyTo !== undefined && { replyTo: readMailbox('reply_to', replyTo) }),
      ...(inReplyTo !== undefined && (await this.thread(organizationId, inReplyTo))),
      ...(attachments !== undefined &&
        attachments.length > 0 && {
          attachments: await this.attachments.resolve(organizationId, attachments, html),
        }),
    };
    return Object.keys(envelope).length > 0 ? envelope : null;
  }

  private async readSender(organizationId: string, text: string): Promise<Mailbox> {
    const sender = readMailbox('from', text);
    await this.senders.assertAllowed(organizationId, 'from', sender.address);
    return sender;
  }

  private async thread(
    organizationId: string,
    id: string,
  ): Promise<Pick<EmailEnvelope, 'inReplyTo' | 'references'>> {
    const earlier = await this.messages.find(organizationId, id);
    const headerId = earlier?.channel === 'email' ? this.headerIdOf(earlier) : undefined;
    if (headerId === undefined) {
      throw AppError.invalidField(
        'in_reply_to',
        'must be the id of an e-mail that was sent with send_message, or recorded with its Message-ID as external_id',
      );
    }
    const references = [...(earlier?.envelope?.references ?? []), headerId].slice(-MOST_REFERENCES);
    return { inReplyTo: id, references };
  }

  private headerIdOf({ id, direction, envelope, externalId }: Message): string | undefined {
    if (direction === 'outbound') {
      return messageIdOf(id, envelope?.from?.address ?? this.env.mailFrom);
    }
    return externalId !== null && isMessageId(externalId) ? externalId : undefined;
  }
}

function readMailbox(path: string, text: string): Mailbox {
  const parsed = parseMailbox(text);
  if ('fault' in parsed) throw AppError.invalidField(path, parsed.fault);
  return parsed.value;
}
