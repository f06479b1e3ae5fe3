import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { createHmac } from 'node:crypto';
import { Env } from '../../config/env.js';
import { GateDatabase } from '../../database/gate-database.js';
import { SecretBox } from '../../database/secret-box.js';
import { AppError, toError } from '../../errors/app-error.js';
import { EmailChannel } from '../../mail/email-channel.js';
import { randomBase62 } from '../../text/ids.js';
import type { Account } from '../account.js';
import { CallRecorder } from '../call-recorder.js';
import { CredentialLimits } from '../credential-limits.js';
import { originJson, type RequestOrigin } from '../request-origin.js';
import { type languageOf, verificationMail } from './verification-mail.js';

const VALID_HOURS = 24;
const TOKEN_LENGTH = 43;
const SEND_TIMEOUT_MS = 20_000;
const PURPOSE = 'address verification';

/** The state of the verification of an address, in the responses of `/api/auth/verification`. */
export interface VerificationView {
  email: string;
  is_verified: boolean;
  /**
   * The number of messages that the organization may store in a day until the address is verified. Null when a
   * verification would not raise the quota.
   */
  messages_a_day: number | null;
  /**
   * The number of messages that the organization may store in a day after the verification. Null when a verification
   * would not raise the quota.
   */
  verified_messages_a_day: number | null;
}

type Language = ReturnType<typeof languageOf>;

/**
 * Lets people prove that they read the mail of their address. The mail has a random token, and the database has only
 * its HMAC together with account and address (ADR 30).
 */
@Injectable()
export class AddressVerificationService implements BeforeApplicationShutdown {
  private readonly logger = new Logger(AddressVerificationService.name);
  private readonly keys: readonly string[];
  private readonly sending = new Set<Promise<void>>();

  constructor(
    private readonly gate: GateDatabase,
    secrets: SecretBox,
    private readonly env: Env,
    private readonly limits: CredentialLimits,
    private readonly recorder: CallRecorder,
    private readonly mail: EmailChannel,
  ) {
    // The first key signs new links. Links that were signed with the other key stay valid while SECRET_KEY changes.
    this.keys = secrets.deriveAll(PURPOSE);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.allSettled(this.sending);
  }

  async describe({ userId, organizationId, email }: Account): Promise<VerificationView> {
    const [row] = await this.gate.callForClient<{
      is_verified: boolean;
      messages_a_day: string | null;
    }>(organizationId, 'find_address_verification', [userId, organizationId]);
    const before = row?.messages_a_day == null ? null : Number(row.messages_a_day);
    const after = this.env.verifiedOrganizationMessages;
    const rises = before !== null && before < after && !row?.is_verified;
    return {
      email,
      is_verified: row?.is_verified ?? false,
      messages_a_day: rises ? before : null,
      verified_messages_a_day: rises ? after : null,
    };
  }

  /**
   * Sends the mail after a sign-up, if its link raises the quota of the organization. Returns immediately, because
   * sign-up must not wait for a mail server. A mail that fails is only logged, because the person can request another.
   */
  mailAfterSignUp(account: Account, address: string, language: Language): void {
    const sending = this.describe(account)
      .then(async (view) => {
        if (view.messages_a_day !== null) await this.sendMail(account, address, language);
      })
      .catch((error: unknown) => {
        this.logger.warn(
          `A verification mail was not sent, but the person can request another: ${toError(error).message}`,
        );
      })
      .finally(() => this.sending.delete(sending));
    this.sending.add(sending);
  }

  /** Sends the mail again. Throws `conflict` when the address is verified, and `rate_limited` at the limits. */
  async mailAgain(account: Account, address: string, language: Language): Promise<void> {
    const { is_verified } = await this.describe(account);
    if (is_verified) throw new AppError('conflict', 'This address is verified already.');
    await this.sendMail(account, address, language);
  }

  /**
   * Verifies an address with the token of a mail. The token must belong to the account of this session. Throws
   * `invalid_arguments` for a token that is unknown, used or expired, or that was made for another account or address.
   */
  async verify(account: Account, token: string, origin: RequestOrigin): Promise<VerificationView> {
    const { userId, organizationId, email } = account;
    const digests = this.keys.map((key) => digest(key, account, token));
    const messages = this.env.verifiedOrganizationMessages;
    const values = [userId, organizationId, email, digests, messages, originJson(origin)];
    const [row] = await this.gate.callForClient<{ verify_address: boolean }>(
      organizationId,
      'verify_address',
      values,
    );
    if (!row?.verify_address) {
      const actor = { kind: 'user', id: userId } as const;
      const outcome = 'invalid_arguments';
      this.recorder.recordEvent({
        organizationId,
        actor,
        action: 'verify_address',
        outcome,
        origin,
      });
      throw AppError.invalidField(
        'token',
        'is no longer valid, or belongs to another account. Request a new mail, and open its link while you are signed in',
      );
    }
    return await this.describe(account);
  }

  private async sendMail(account: Account, address: string, language: Language): Promise<void> {
    const { userId, organizationId, email } = account;
    await this.limits.countVerificationMail(userId, email, address);
    const token = randomBase62(TOKEN_LENGTH);
    const values = [userId, digest(this.keys[0]!, account, token), VALID_HOURS * 60 * 60];
    await this.gate.callForClient(organizationId, 'add_address_verification', values);
    const mail = verificationMail(email, token, this.env.baseUrl, VALID_HOURS, language);
    const delivery = await this.mail.deliver(mail, AbortSignal.timeout(SEND_TIMEOUT_MS));
    if (delivery.outcome === 'sent') return;
    // The reason is not logged, because it may contain the address. The log must not contain personal data.
    const verb = delivery.outcome === 'refused' ? 'refused' : 'did not accept';
    this.logger.warn(`The mail server ${verb} a verification mail. Check SMTP_URL.`);
    throw delivery.outcome === 'refused'
      ? AppError.invalidField('email', 'cannot get mail')
      : new AppError('unavailable', 'The mail could not be sent. Try again later.');
  }
}

/**
 * Returns the HMAC that is stored in place of a token. Without the key, nobody can predict the HMAC of a token. So the
 * duration of the comparison in the database reveals nothing about the stored HMACs.
 */
function digest(key: string, { userId, email }: Account, token: string): Buffer {
  const text = JSON.stringify([userId, email, token]);
  return createHmac('sha256', key).update(text).digest();
}
