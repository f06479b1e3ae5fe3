import type { OnApplicationShutdown } from '@nestjs/common';
import type { SendMailOptions } from 'nodemailer';
import { messageIdOf } from '../text/message-id.js';
import { parseEmail } from '../text/parse-email.js';
import type { Mailbox } from '../text/parse-mailbox.js';
import { plainSubject } from './email-subject.js';

/** An e-mail. When it has `html`, each mail program decides whether it shows the HTML or the text. */
export interface Email {
  /** The id of the message. It is the same at every attempt, so that a mail server can recognize a duplicate. */
  id: string;
  /**
   * The organization that sends the e-mail. Organizations take turns to use the connections to the mail server. E-mails
   * of Switchboard itself have no organization, and count together as one.
   */
  organizationId?: string;
  to: string;
  subject: string;
  text: string;
  html?: string | null | undefined;
  date: Date;
  /** The sender. The default is the sender of the installation. */
  from?: Mailbox;
  replyTo?: Mailbox;
  /** The Message-IDs of the conversation, oldest first. */
  references?: readonly string[];
  /** The address by which the recipient leaves the topic of the e-mail, with one click (RFC 8058). */
  unsubscribe?: string | undefined;
  attachments?: readonly EmailAttachment[];
  /** The key that signs the e-mail (DKIM). */
  key?: DkimKey | undefined;
}

/** A part of an e-mail. */
export interface EmailAttachment {
  readonly name: string;
  readonly contentType: string;
  /** The id by which the HTML refers to the image, as `cid:…`. */
  readonly cid?: string;
  /** The bytes, in parts. */
  readonly chunks: readonly Buffer[];
}

/** An RSA key. Mail servers find its public part in the DNS record of the selector. */
export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  /** The private key in PEM. */
  readonly privateKey: string;
}

/**
 * The result of an attempt. After `refused` no retry can succeed. After `failed` a retry may succeed. After `unknown`
 * the mail server may have accepted the e-mail, so a retry may deliver it twice. With `isUnknownMailbox`, no e-mail to
 * the address can arrive.
 */
export type Delivery =
  | { outcome: 'sent' }
  | { outcome: 'refused'; reason: string; isUnknownMailbox?: true }
  | { outcome: 'failed'; reason: string }
  | { outcome: 'unknown'; reason: string };

/** Hands e-mails over to a mail server, or writes them to files. */
export abstract class EmailChannel implements OnApplicationShutdown {
  /** True when e-mails are only written to files. */
  abstract readonly writesFiles: boolean;

  /** Sends the e-mail and never throws. Once `signal` is aborted, only the result `sent` is reliable. */
  abstract deliver(email: Email, signal: AbortSignal): Promise<Delivery>;

  /** Closes the connections. Nest calls this method after everything that sends e-mails has ended. */
  abstract onApplicationShutdown(): void;
}

/**
 * Converts the e-mail for nodemailer. Returns undefined when the address is not plain or the subject has a line break.
 * Addresses are passed as objects, because nodemailer would parse a text as a list of addresses. File and URL access
 * are disabled, so that no text can make nodemailer read a file or URL.
 */
export function composeEmail(email: Email, from: string): SendMailOptions | undefined {
  const to = parseEmail(email.to);
  if ('fault' in to || /[\r\n\0]/.test(email.subject)) return undefined;
  const answered = email.references?.at(-1);
  const sender = email.from ?? { name: '', address: from };
  return {
    from: { ...sender },
    to: { name: '', address: to.value },
    subject: plainSubject(email.subject),
    text: email.text,
    ...(typeof email.html === 'string' && { html: email.html }),
    date: email.date,
    ...(email.replyTo && { replyTo: { ...email.replyTo } }),
    ...(answered !== undefined && {
      inReplyTo: answered,
      references: [...email.references!],
    }),
    messageId: messageIdOf(email.id, sender.address),
    ...(email.unsubscribe !== undefined && { headers: oneClickHeaders(email.unsubscribe) }),
    textEncoding: 'quoted-printable',
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/**
 * Returns the headers for unsubscribing with one click (RFC 8058). With them, mail programs show a button that sends a
 * POST request to the address.
 */
function oneClickHeaders(address: string): Record<string, string> {
  return {
    'List-Unsubscribe': `<${address}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
}
