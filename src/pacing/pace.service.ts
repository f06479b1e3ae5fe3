import { Injectable } from '@nestjs/common';
import {
  type ClaimedMessage,
  type HeldUntil,
  type PacedMessage,
  type PaceRow,
  PaceRepository,
} from './pace.repository.js';
import { SendingRulesRepository } from './sending-rules.repository.js';

/** The reason why a message is not sent now: it waits until a time, or it is never sent. */
export interface Pause {
  readonly code: PaceRow['code'];
  readonly reason: string;
  /** The cap that the message waits for. */
  readonly cap: string | null;
  /** The time until which the message waits. Null when the message is never sent. */
  readonly until: Date | null;
}

/**
 * Decides when messages may be sent, by quiet hours and caps. `check_pace.sql` has the rules. A message waits until the
 * quiet hours end in the time zone of the contact, or of the organization when the contact has none
 * (`quiet_until.sql`). `MessageAttemptsService` calls this service before each attempt. Each method needs a transaction
 * of the organization.
 */
@Injectable()
export class PaceService {
  constructor(
    private readonly pace: PaceRepository,
    private readonly rules: SendingRulesRepository,
  ) {}

  /**
   * Decides about an attempt that begins in this transaction, which has locked the message. Returns undefined when the
   * attempt may begin. Even when several attempts are decided at the same time, no more of them may begin than the caps
   * allow.
   */
  async decide(organizationId: string, message: PacedMessage): Promise<Pause | undefined> {
    const row = await this.pace.decide(organizationId, message);
    return row && toPause(row);
  }

  /** Returns the present result of each rule for the message. `pause` is undefined when the rule allows sending. */
  async check(
    organizationId: string,
    message: PacedMessage,
  ): Promise<{ code: PaceRow['code']; cap: string | null; pause: Pause | undefined }[]> {
    const rows = await this.pace.check(organizationId, message);
    return rows.map((row) => ({
      code: row.code,
      cap: row.cap,
      pause: row.until === null ? undefined : toPause(row),
    }));
  }

  /** Ends the claim of a message, which workers may claim again at the end of the pause. */
  hold(message: ClaimedMessage, pause: HeldUntil): Promise<void> {
    return this.pace.hold(message, pause);
  }

  /** Returns true when a quota of the organization is used up, so that it cannot send another message now. */
  lacksQuota(organizationId: string): Promise<boolean> {
    return this.pace.lacksQuota(organizationId);
  }

  /**
   * For one contact, makes workers check again all messages that a cap holds. Call this method after a held message was
   * canceled, because the place of this message in the cap is free again.
   */
  recheckCapped(organizationId: string, contactId: string): Promise<void> {
    return this.rules.recheckCapped(organizationId, contactId);
  }
}

function toPause({ code, cap, until, drops }: PaceRow): Pause {
  if (code === 'quiet_hours') {
    return { code, cap, until, reason: 'It is a quiet hour of the contact.' };
  }
  const reason = `The contact has had as many messages as the cap of ${cap} allows.`;
  return { code, cap, until: drops ? null : until, reason };
}
