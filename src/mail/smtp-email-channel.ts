import { type Delivery, type Email, EmailChannel, composeEmail } from './email-channel.js';
import { type OpenableEmail, prepareEmail } from './email-content.js';
import { SmtpPool } from './smtp-pool.js';
import type { SmtpResult } from './smtp-session.js';
import { readSmtpUrl } from './smtp-settings.js';

const LONGEST_REASON = 500;
/**
 * The commands that concern one message. When the server refuses another command, the refusal concerns the server
 * itself, so a retry may help.
 */
const MESSAGE_COMMANDS = /^(MAIL FROM|RCPT TO|DATA|BDAT)/;
/**
 * Matches a response that says that the mailbox or its domain does not exist or accepts no mail (RFC 3463, section
 * 3.2, and RFC 7505). A server may give 550 without such a code for another reason, for example because it blocks
 * the sender.
 */
const UNKNOWN_MAILBOX = /^5\d\d[ -]5\.1\.(1|2|3|6|10)\b/;
const UNREADABLE = 'The content of the e-mail could not be read or signed.';
const NO_UTF8 = 'The mail server does not accept addresses with letters outside ASCII (SMTPUTF8).';

/** Sends e-mails to one mail server. This class never retries, so the caller decides about retries. */
export class SmtpEmailChannel extends EmailChannel {
  readonly writesFiles = false;
  private readonly pool: SmtpPool;

  constructor(
    smtpUrl: string,
    private readonly from: string,
    maxConnections: number,
  ) {
    super();
    this.pool = new SmtpPool(readSmtpUrl(smtpUrl, maxConnections));
  }

  async deliver(email: Email, signal: AbortSignal): Promise<Delivery> {
    const composed = composeEmail(email, this.from);
    if (!composed) {
      return {
        outcome: 'refused',
        reason: 'The address must be a plain e-mail address, such as ada@example.com.',
      };
    }
    let prepared: OpenableEmail;
    try {
      prepared = await prepareEmail(composed, email, signal);
    } catch {
      return { outcome: 'failed', reason: UNREADABLE };
    }
    const { from, to, open } = prepared;
    // eslint-disable-next-line no-control-regex -- the characters of ASCII
    const needsUtf8 = /[^\0-\x7f]/.test(`${from}${to.join('')}`);
    // The envelope has the sender of the installation. Bounces go there, and SPF checks whether the mail server may
    // send for the domain of this sender.
    const envelope = { from: this.from, to };
    const result = await this.pool.send(
      email.organizationId ?? '',
      envelope,
      (session) => (needsUtf8 && !session.acceptsUtf8Addresses ? { code: 'ENOUTF8' } : open()),
      signal,
    );
    return result.isSent ? { outcome: 'sent' } : toDelivery(result);
  }

  onApplicationShutdown(): void {
    this.pool.close();
  }
}

function toDelivery({ error, mayHaveArrived }: SmtpResult & { isSent: false }): Delivery {
  const { code, command, response, responseCode } = error;
  if (code === 'ENOUTF8') return { outcome: 'refused', reason: NO_UTF8 };
  const status = responseCode ?? 0;
  const isPermanent = status >= 500 && status < 600 && MESSAGE_COMMANDS.test(command ?? '');
  // The receiving server is untrusted and controls the response, so control characters are removed before it is stored
  // and shown.
  const text = response?.replace(/\p{C}+/gu, ' ').slice(0, LONGEST_REASON);
  if (text) {
    const reason = `The mail server answered: ${text}`;
    if (!isPermanent) return { outcome: 'failed', reason };
    const isUnknown = command!.startsWith('RCPT TO') && UNKNOWN_MAILBOX.test(text);
    return { outcome: 'refused', reason, ...(isUnknown && { isUnknownMailbox: true }) };
  }
  const detail = code ?? 'no error code';
  return mayHaveArrived
    ? {
        outcome: 'unknown',
        reason: `The mail server got the whole message and did not answer (${detail}).`,
      }
    : {
        outcome: 'failed',
        reason: `The mail server could not be reached or closed the connection (${detail}).`,
      };
}
