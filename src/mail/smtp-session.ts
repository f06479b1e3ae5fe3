import type { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SmtpSettings } from './smtp-settings.js';

/** The reason why a message was not sent. Only `response` and `responseCode` come from the server. */
export interface SmtpError {
  code?: string;
  command?: string;
  response?: string;
  responseCode?: number;
}

export interface SmtpEnvelope {
  from: string;
  to: string[];
}

/**
 * The result of one message. `mayHaveArrived` is true when the final dot may have reached the server. Before that dot,
 * no server accepts a message. `message-delivery.service` decides whether such a message is sent again.
 */
export type SmtpResult =
  { isSent: true } | { isSent: false; error: SmtpError; mayHaveArrived: boolean };

/**
 * Sends messages to the mail server over one connection, one message at a time. nodemailer speaks the protocol. This
 * class observes when the end of the message is sent, which nodemailer does not report.
 */
export class SmtpSession {
  private sentMessages = 0;
  private isEnded = false;

  private constructor(
    private readonly connection: SMTPConnection,
    private readonly maxMessages: number,
  ) {
    connection.once('end', () => (this.isEnded = true));
  }

  /** Connects, and logs in when the URL has a user. Rejects with an {@link SmtpError}. */
  static open(settings: SmtpSettings, signal: AbortSignal): Promise<SmtpSession> {
    return new Promise((resolve, reject) => {
      const connection = new SMTPConnection(settings.connection);
      const session = new SmtpSession(connection, settings.maxMessages);
      const settle = (error?: SmtpError | null): void => {
        signal.removeEventListener('abort', stop);
        if (!error) return resolve(session);
        connection.close();
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the errors of nodemailer are Errors
        reject(error);
      };
      const stop = (): void => settle(abortedError());
      signal.addEventListener('abort', stop, { once: true });
      // The listener stays. Without it, an idle connection that breaks would end the process.
      connection.on('error', settle);
      connection.once('end', () => settle(lostError()));
      connection.connect((error) => {
        if (error || !settings.auth) return settle(error);
        if (!connection.allowsAuth && !settings.isAuthForced) return settle();
        connection.login(settings.auth, settle);
      });
    });
  }

  /** True while the connection can send another message. */
  get isUsable(): boolean {
    return !this.isEnded && this.sentMessages < this.maxMessages;
  }

  /** True if the server accepts addresses with letters outside ASCII (RFC 6531). */
  get acceptsUtf8Addresses(): boolean {
    // nodemailer does not export the list of extensions. Without this check, nodemailer would send an address
    // with such letters to a server that cannot read the address.
    const { _supportedExtensions } = this.connection as unknown as {
      _supportedExtensions: string[];
    };
    return _supportedExtensions.includes('SMTPUTF8');
  }

  /** Sends a message and never rejects. The session may be used again only after {@link recover}. */
  send(envelope: SmtpEnvelope, content: Readable, signal: AbortSignal): Promise<SmtpResult> {
    this.sentMessages += 1;
    return new Promise((resolve) => {
      // nodemailer writes the final dot when the content ends, and never before the server has asked for the content.
      let isComplete = false;
      content.once('end', () => (isComplete = true));
      const settle = (error?: SmtpError | null): void => {
        signal.removeEventListener('abort', stop);
        // A response in the middle of the content ends the connection. Otherwise the session would read later responses
        // as responses to other messages.
        if (isComplete ? error : error?.code !== 'EENVELOPE') this.connection.close();
        if (!error && isComplete) return resolve({ isSent: true });
        resolve({ isSent: false, error: error ?? lostError(), mayHaveArrived: isComplete });
      };
      const stop = (): void => settle(abortedError());
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) return stop();
      this.connection.send({ ...envelope }, content, settle);
    });
  }

  /** Prepares the session for another message after a refused one, or closes the connection. Never rejects. */
  async recover(): Promise<void> {
    if (!this.isUsable) return this.close();
    await new Promise<void>((resolve) => {
      this.connection.once('end', resolve);
      this.connection.reset((error) => {
        if (error) this.close();
        resolve();
      });
    });
  }

  /** Sends QUIT to the server and closes the connection. */
  quit(): void {
    if (!this.isEnded) this.connection.quit();
  }

  close(): void {
    this.connection.close();
  }
}

function abortedError(): SmtpError {
  return Object.assign(new Error('The attempt was aborted.'), { code: 'EABORT' });
}

function lostError(): SmtpError {
  return Object.assign(new Error('The connection was closed.'), { code: 'ECONNECTION' });
}
