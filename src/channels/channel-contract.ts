import type { Fault } from '../errors/app-error.js';
import type { Mailbox } from '../text/parse-mailbox.js';
import type { ReasonCode } from './reason-code.js';

/** The data of a contact from which a channel chooses the address. */
export interface ChannelContact {
  readonly email: string | null;
  readonly phone: string | null;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The content of a message as it is sent. */
export interface ChannelContent {
  readonly subject: string | null;
  readonly body: string;
  /** The HTML of an e-mail. Only channels that carry `html` get it. */
  readonly html?: string | null;
}

/** The e-mail headers that the caller has set. */
export interface OutgoingEnvelope {
  readonly from?: Mailbox;
  readonly replyTo?: Mailbox;
  /** The Message-IDs of the conversation, oldest first. This message answers the message with the last id. */
  readonly references?: readonly string[];
  /** The attached files. Together they have at most 10 MiB. */
  readonly attachments?: readonly OutgoingAttachment[];
}

/** A file that a message sends. Its name and its type are safe in headers. */
export interface OutgoingAttachment {
  readonly fileId: string;
  readonly name: string;
  readonly contentType: string;
  /** The number of bytes. */
  readonly size: number;
  /** The Content-ID by which the HTML shows this image, as `cid:…`. */
  readonly cid?: string;
}

/** A message that a channel hands over. Its id is the same at every attempt. */
export interface OutgoingMessage extends ChannelContent {
  readonly id: string;
  readonly organizationId: string;
  /** Null for a test message. */
  readonly contactId: string | null;
  readonly to: string;
  /** The link by which the contact leaves the topic of the message. Null for a transactional message. */
  readonly unsubscribeUrl?: string | null;
  readonly createdAt: Date;
  /** The sender, the conversation and the attachments of an e-mail. Messages of other channels have no envelope. */
  readonly envelope?: OutgoingEnvelope | null;
}

/** The account of an organization at a provider, with its decrypted secret. */
export interface ProviderAccount {
  readonly id: string;
  readonly kind: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly secret: string;
}

/**
 * The result of a handover.
 *
 * - `sent`: the provider has accepted the message.
 * - `refused`: no retry can succeed.
 * - `failed`: the provider has certainly not accepted the message, and a retry may succeed.
 * - `unknown`: the provider may have accepted the message. A retry could send it twice.
 */
export type Handover =
  | { readonly outcome: 'sent'; readonly providerMessageId?: string }
  | { readonly outcome: 'refused'; readonly code: ReasonCode; readonly reason: string }
  | {
      readonly outcome: 'failed';
      readonly code: ReasonCode;
      readonly reason: string;
      readonly retryAfterSeconds?: number;
    }
  | { readonly outcome: 'unknown'; readonly code: ReasonCode; readonly reason: string };

/** The methods that a class with `@Channel` must have, and its optional property. */
export interface DeliveryChannel {
  /**
   * True while messages are only written to files, for example without a mail server. When absent, messages are sent.
   */
  readonly writesFiles?: boolean;

  /** Returns the address of the contact for this channel, or null when the contact has none. */
  addressOf(contact: ChannelContact): string | null;

  /** Returns true for an address that this channel can send to. */
  isAddress(address: string): boolean;

  /** Returns the faults of the content. A message with faults is refused before it is stored. */
  checkContent(content: ChannelContent): readonly Fault[];

  /**
   * Hands the message to the provider, and never throws. `account` is undefined only for a channel without provider
   * kinds. When `signal` is aborted after the handover began, the result is `unknown` or `sent`.
   */
  handOver(
    message: OutgoingMessage,
    account: ProviderAccount | undefined,
    signal: AbortSignal,
  ): Promise<Handover>;
}
