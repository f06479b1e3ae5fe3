import { createTransport } from 'nodemailer';
import { type Delivery, type Email, EmailChannel, composeEmail } from './email-channel.js';

const LONGEST_REASON = 500;
/** These commands are about one message. A refusal of any other command concerns the server, so a retry may help. */
const MESSAGE_COMMANDS = /^(MAIL FROM|RCPT TO|DATA|BDAT)/;

interface SmtpError {
  code?: string;
  command?: string;
  response?: string;
  responseCode?: number;
}

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
      // MessageDeliveryService schedules retries. Retries by nodemailer would not be counted.
      maxRequeues: 0,
      connectionTimeout: 10_000,
      greetingTimeout: 10_000,
      dnsTimeout: 10_000,
      socketTimeout: 30_000,
    });
    // Without a listener, an idle pooled connection that breaks would end the process.
    this.transport.on('error', () => undefined);
  }

  async deliver(email: Email, signal: AbortSignal): Promise<Delivery> {
    const composed = composeEmail(email, this.from);
    if (!composed)
      return { outcome: 'refused', reason: 'The address is not a plain e-mail address.' };
    try {
      await this.transport.sendMail({ ...composed, signal });
      return { outcome: 'sent' };
    } catch (error) {
      return toDelivery(error as SmtpError);
    }
  }

  onApplicationShutdown(): void {
    this.transport.close();
  }
}

function toDelivery({ code, command, response, responseCode }: SmtpError): Delivery {
  const status = responseCode ?? 0;
  const isPermanent = status >= 500 && status < 600 && MESSAGE_COMMANDS.test(command ?? '');
  // A stranger controls the response, so control characters are removed before it is stored and shown.
  const text = response?.replace(/\p{C}+/gu, ' ').slice(0, LONGEST_REASON);
  const reason = text
    ? `The mail server answered: ${text}`
    : `The mail server could not be reached or closed the connection (${code ?? 'no error code'}).`;
  return { outcome: isPermanent ? 'refused' : 'failed', reason };
}
