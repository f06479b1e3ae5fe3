import { createTransport } from 'nodemailer';
import { composeEmail } from './compose-email.js';
import { type Delivery, type Email, EmailChannel } from './email-channel.js';

const LONGEST_REASON = 500;
const TIMEOUTS = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  dnsTimeout: 10_000,
  socketTimeout: 30_000,
};
/** Commands that are about this one message; a refusal of any other is about the server or our account. */
const MESSAGE_COMMANDS = /^(MAIL FROM|RCPT TO|DATA|BDAT)/;

interface SmtpError {
  code?: string;
  command?: string;
  response?: string;
  responseCode?: number;
}

/** Hands e-mails to a mail server. */
export class SmtpEmailChannel extends EmailChannel {
  private readonly transport;

  constructor(
    smtpUrl: string,
    private readonly from: string,
    maxConnections: number,
  ) {
    super();
    this.transport = createTransport({
      url: smtpUrl,
      pool: true,
      maxConnections,
      // The row decides about another attempt; nodemailer's own would be counted by nobody.
      maxRequeues: 0,
      ...TIMEOUTS,
    });
    // Without a listener, a pooled connection that breaks while it is idle would end the process.
    this.transport.on('error', () => undefined);
  }

  async deliver(email: Email, signal: AbortSignal): Promise<Delivery> {
    const composed = composeEmail(email, this.from);
    if (!composed) return { outcome: 'refused', reason: 'This is no plain e-mail address.' };
    try {
      await this.transport.sendMail({ ...composed, signal });
      return { outcome: 'sent' };
    } catch (error) {
      return deliveryOf(error as SmtpError);
    }
  }

  close(): void {
    this.transport.close();
  }
}

function deliveryOf({ code, command, response, responseCode }: SmtpError): Delivery {
  const status = responseCode ?? 0;
  const isPermanent = status >= 500 && status < 600 && MESSAGE_COMMANDS.test(command ?? '');
  // What the mail server says is foreign text: one line of it, without control characters.
  const said = response?.replace(/\p{C}+/gu, ' ').slice(0, LONGEST_REASON);
  const reason = said
    ? `The mail server answered: ${said}`
    : `The mail server could not be reached or broke off (${code ?? 'no reason'}).`;
  return { outcome: isPermanent ? 'refused' : 'failed', reason };
}
