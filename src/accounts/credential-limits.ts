import { Injectable, Logger } from '@nestjs/common';
import { Env } from '../config/env.js';
import { GateDatabase } from '../database/gate-database.js';
import { toError } from '../errors/app-error.js';
import { networkOf } from '../http/client-address.js';
import { rateLimited } from '../http/rate-limiter.js';
import { SecurityLog } from '../security/security-log.js';
import { normalizeEmail } from '../text/parse-email.js';

const HOUR_SECONDS = 60 * 60;
const DAY_SECONDS = 24 * HOUR_SECONDS;
/**
 * The factor by which a network may request more verification mails than one account, because several people share it.
 */
const ACCOUNTS_OF_NETWORK = 10;
const MOST_BUCKETS = 100_000;
/**
 * The number of tokens that a process takes from buckets between two purges. With this limit, the table never has many
 * more rows than `MOST_BUCKETS`.
 */
const PURGE_AFTER = 1000;
const MOST_EMAIL_CHARACTERS = 254;

/**
 * Limits the requests by which strangers could guess or collect credentials. The buckets are rows of the database, so
 * all processes together have one limit (ADR 25). Each method throws `rate_limited` at the limit.
 */
@Injectable()
export class CredentialLimits {
  private readonly logger = new Logger(CredentialLimits.name);
  private sincePurge = 0;

  constructor(
    private readonly gate: GateDatabase,
    private readonly env: Env,
    private readonly security: SecurityLog,
  ) {}

  /**
   * Counts an attempt to sign in. A network address from which the person signed in before has its own bucket for
   * this account.
   */
  async countSignIn(email: string, address: string): Promise<void> {
    const perMinute = this.env.signInPerMinute;
    if (perMinute === 0) return;
    const values = [email.slice(0, MOST_EMAIL_CHARACTERS), networkOf(address), perMinute];
    const waitSeconds = await this.take(ownerOf(address), 'take_sign_in_token', values);
    if (waitSeconds === 0) return;
    this.security.report('rate_limited', { subject: 'sign_in', address });
    throw rateLimited(
      'Too many attempts to sign in. Wait before the next attempt, or sign in from an address that you used before.',
      waitSeconds,
    );
  }

  /** Counts an account that is about to be created. */
  async countSignUp(address: string): Promise<void> {
    const bucket = `sign up from ${networkOf(address)}`;
    const waitSeconds = await this.takeOfHour(ownerOf(address), bucket, this.env.signUpPerHour);
    if (waitSeconds === 0) return;
    this.security.report('rate_limited', { subject: 'sign_up', address });
    throw rateLimited(
      'Too many accounts were created from this address. Try again later.',
      waitSeconds,
    );
  }

  /** Counts an API key that is about to be created. */
  async countKey(organizationId: string): Promise<void> {
    const bucket = `keys of ${organizationId}`;
    const waitSeconds = await this.takeOfHour(organizationId, bucket, this.env.keysPerHour);
    if (waitSeconds === 0) return;
    this.security.report('rate_limited', { subject: organizationId });
    throw rateLimited(
      'Too many API keys were created. Use the current key, or try again later.',
      waitSeconds,
    );
  }

  /**
   * Counts a verification mail that is about to be sent. The account, the mailbox and the network each have a bucket,
   * so that nobody can flood the mailbox of somebody else with these mails.
   */
  async countVerificationMail(userId: string, email: string, address: string): Promise<void> {
    const perDay = this.env.verificationMailsPerDay;
    if (perDay === 0) return;
    const buckets: [string, number][] = [
      [`verification mails of ${userId}`, perDay],
      [`verification mails to ${mailboxOf(email)}`, perDay],
      [`verification mails from ${networkOf(address)}`, perDay * ACCOUNTS_OF_NETWORK],
    ];
    for (const [bucket, capacity] of buckets) {
      const values = [bucket, capacity, DAY_SECONDS];
      const waitSeconds = await this.take(ownerOf(address), 'take_token', values);
      if (waitSeconds === 0) continue;
      this.security.report('rate_limited', { subject: 'verification_mail', address });
      throw rateLimited(
        'Too many verification mails were requested. Look for an earlier mail, and look in the spam folder.',
        waitSeconds,
      );
    }
  }

  /**
   * Stores that the person signed in from this network address, so that later attempts from it have their own bucket.
   */
  async remember(userId: string, address: string): Promise<void> {
    await this.gate.call('remember_address', [userId, networkOf(address)]);
  }

  /**
   * Deletes buckets that are full again. When more than `MOST_BUCKETS` are left, also deletes the buckets that will be
   * full soonest. Never throws.
   */
  async purge(): Promise<void> {
    try {
      await this.gate.call('purge_token_buckets', [MOST_BUCKETS]);
    } catch (error) {
      this.logger.warn(
        `Deleting old token buckets failed, and will be retried: ${toError(error).message}`,
      );
    }
  }

  private async takeOfHour(owner: string, bucket: string, capacity: number): Promise<number> {
    if (capacity === 0) return 0;
    return await this.take(owner, 'take_token', [bucket, capacity, HOUR_SECONDS]);
  }

  private async take(owner: string, name: string, values: readonly unknown[]): Promise<number> {
    this.sincePurge += 1;
    if (this.sincePurge >= PURGE_AFTER) {
      this.sincePurge = 0;
      void this.purge();
    }
    const [row] = await this.gate.callForClient<Record<string, number>>(owner, name, values);
    return row![name]!;
  }
}

/** Returns the owner of statements that a stranger causes. An id of an organization contains no space. */
function ownerOf(address: string): string {
  return `network ${networkOf(address)}`;
}

/**
 * Returns the same text for all addresses that the limits count as one mailbox. Many servers ignore dots, a plus sign
 * and the text after it.
 */
function mailboxOf(address: string): string {
  const email = normalizeEmail(address);
  const at = email.lastIndexOf('@');
  const [name = ''] = email.slice(0, at).split('+');
  return `${name.replaceAll('.', '')}${email.slice(at)}`;
}
