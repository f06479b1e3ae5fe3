import type { SMTPConnectionAuth, SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';
import { assign, parseConnectionUrl } from 'nodemailer/lib/shared';
import wellKnown from 'nodemailer/lib/well-known';

/** The settings for the mail server. All times are in milliseconds. */
export interface SmtpSettings {
  connection: SMTPConnectionOptions;
  /** The user and the password. Undefined when the URL has no user. */
  auth: SMTPConnectionAuth | undefined;
  /** True when the login is tried even if the server does not offer it. */
  isAuthForced: boolean;
  maxConnections: number;
  /** The number of messages after which a connection is closed. */
  maxMessages: number;
  /** The time after which an unused connection is closed. */
  idleTimeoutMs: number;
}

const DEFAULTS = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  dnsTimeout: 10_000,
  socketTimeout: 30_000,
  maxMessages: 100,
  // Servers wait for at least 5 minutes (RFC 5321, section 4.5.3.2), so the server does not close the connection first.
  idleTimeout: 4 * 60_000,
};

/** Reads `SMTP_URL`. Its query has options of nodemailer, such as `?requireTLS=true&maxConnections=2`. */
export function readSmtpUrl(url: string, maxConnections: number): SmtpSettings {
  const given = parseConnectionUrl(url);
  const known = typeof given.service === 'string' && wellKnown(given.service);
  const options = assign(false, { ...DEFAULTS, maxConnections }, given, known || {});
  const { user, pass } = { user: '', pass: '', ...options.auth };
  return {
    connection: options,
    auth:
      user || pass
        ? {
            user,
            pass,
            credentials: { user, pass },
            method: methodOf(options.authMethod),
          }
        : undefined,
    isAuthForced: options.forceAuth === true,
    maxConnections: positive(options.maxConnections, maxConnections),
    maxMessages: positive(options.maxMessages, DEFAULTS.maxMessages),
    idleTimeoutMs: positive(options.idleTimeout, DEFAULTS.idleTimeout),
  };
}

function methodOf(value: unknown): string | false {
  return typeof value === 'string' && value.trim() !== '' ? value.trim().toUpperCase() : false;
}

function positive(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : otherwise;
}
