import { Injectable } from '@nestjs/common';
import type { Actor } from '../../accounts/account.js';
import { AuditLog } from '../../accounts/audit-log.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError, assertFound } from '../../errors/app-error.js';
import { newId } from '../../text/ids.js';
import { ConfirmationRequired } from './confirmation-required.js';
import type { Confirmation, ConfirmationState } from './confirmation.entity.js';
import { type CallIdentity, ConfirmationsRepository } from './confirmations.repository.js';

const MINUTE_MS = 60_000;
/** The minutes in which a person can answer. An approval or a refusal then applies for the same number of minutes. */
const ANSWER_MINUTES = 60;
/** The minutes for which a repetition of an approved call returns the stored result of the first call. */
const REPEAT_MINUTES = 10;
/**
 * The largest number of open confirmations of an organization. People must be able to read them, and agents create them
 * without a person.
 */
const MAX_PENDING = 50;
const MAX_ARGUMENT_CHARACTERS = 65_536;
/** The size of the arguments after which a list ends, in bytes. A result of a tool has at most 1 MiB. */
const MAX_LISTED_BYTES = 512 * 1024;

export interface ConfirmedCall extends CallIdentity {
  readonly arguments: object;
}

/** The error of a call without an approval. The pipeline rolls the call back and requests an approval. */
export class ApprovalMissing extends Error {
  override readonly name = 'ApprovalMissing';
}

/** Binds calls of agents to the approvals of signed-in people. */
@Injectable()
export class ConfirmationsService {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly confirmations: ConfirmationsRepository,
    private readonly audit: AuditLog,
  ) {}

  /** Returns the id of the approval of a call, even if the call has already used the approval. Needs a transaction. */
  async findApproval(call: ConfirmedCall): Promise<string | undefined> {
    const found = await this.confirmations.findNewest(call);
    if (!found || (await this.isExpired(found))) return undefined;
    return found.state === 'approved' || found.state === 'used' ? found.id : undefined;
  }

  /**
   * Uses an approval in the transaction of its call. Throws {@link ApprovalMissing} unless the call is approved and the
   * approval is unused.
   */
  async use({ organizationId, apiKeyId }: ConfirmedCall, id: string | undefined): Promise<void> {
    if (id === undefined) throw new ApprovalMissing();
    const now = await this.now(organizationId);
    const used = { state: 'used' as const, expiresAt: minutesAfter(now, REPEAT_MINUTES) };
    if (!(await this.confirmations.change(organizationId, id, ['approved'], now, used))) {
      throw new ApprovalMissing();
    }
    const actor: Actor = { kind: 'key', id: apiKeyId };
    await this.audit.record(organizationId, actor, 'confirmations/use', id);
  }

  /** Records that a call has failed after it used its approval. The state `approved` allows the call once more. */
  async recordFailure(
    organizationId: string,
    id: string,
    state: 'approved' | 'failed',
  ): Promise<void> {
    const now = await this.now(organizationId);
    await this.confirmations.change(organizationId, id, ['used'], now, { state });
  }

  /** Stores a call that waits for a person, in its own transaction. Returns the error for the agent. */
  async request(call: ConfirmedCall): Promise<AppError> {
    const { organizationId } = call;
    if (JSON.stringify(call.arguments).length > MAX_ARGUMENT_CHARACTERS) {
      return AppError.invalid(
        'A person must approve this call, so its arguments may have at most ' +
          `${MAX_ARGUMENT_CHARACTERS} characters as JSON.`,
      );
    }
    return await this.tenants.transaction(organizationId, async () => {
      // Without this lock, a call that is sent twice at the same time would be stored twice.
      await this.tenants.lockOrganization(organizationId);
      const newest = await this.confirmations.findNewest(call);
      const isDone = newest?.state === 'failed' || newest?.state === 'used';
      const isOver = !newest || isDone || (await this.isExpired(newest));
      if (!isOver) return answerOf(newest);
      const now = await this.now(organizationId);
      if ((await this.confirmations.countPending(organizationId, now)) >= MAX_PENDING) {
        return new AppError(
          'conflict',
          `${MAX_PENDING} calls of your organization wait for approval. A signed-in member must answer some of them first.`,
        );
      }
      const id = newId('cfm');
      const expiresAt = minutesAfter(now, ANSWER_MINUTES);
      await this.confirmations.insert({ ...call, id, expiresAt });
      return required(id, newest?.state === 'pending' ? newest.id : undefined);
    });
  }

  /**
   * Stores the answer of a signed-in member of the organization, owner or not. Throws `forbidden` for every other
   * actor, `not_found`, and `conflict` if the confirmation has expired or its state no longer allows this answer.
   */
  async answer(
    organizationId: string,
    id: string,
    state: 'approved' | 'declined',
    { kind, id: userId }: Actor,
  ): Promise<Confirmation> {
    // The tools of confirmations are for people only. This check refuses a module that answers for an agent.
    if (kind !== 'user') throw new AppError('forbidden', 'Only a signed-in person may answer.');
    const now = await this.now(organizationId);
    // A person may withdraw an approval until the call uses it.
    const from: ConfirmationState[] = state === 'approved' ? ['pending'] : ['pending', 'approved'];
    const answered = await this.confirmations.change(organizationId, id, from, now, {
      state,
      answeredAt: now,
      answeredBy: userId,
      expiresAt: minutesAfter(now, ANSWER_MINUTES),
    });
    if (answered) return answered;
    const found = assertFound(await this.confirmations.find(organizationId, id), 'confirmation');
    const is = found.expiresAt <= now ? 'has expired' : `is ${found.state} already`;
    throw new AppError('conflict', `This confirmation ${is}. The agent can make its call again.`);
  }

  /**
   * Returns the newest confirmations first, each with the state `expired` when it no longer has an effect. Returns fewer
   * than `limit` when their arguments are large.
   */
  async list(
    organizationId: string,
    limit: number,
    onlyPending: boolean,
  ): Promise<{ confirmations: Confirmation[]; now: Date }> {
    const now = await this.now(organizationId);
    const openAt = onlyPending ? now : undefined;
    const found = await this.confirmations.list(organizationId, limit, openAt);
    let bytes = 0;
    const tooMany = found.findIndex((row) => {
      bytes += Buffer.byteLength(JSON.stringify(row.arguments));
      return bytes > MAX_LISTED_BYTES;
    });
    return { confirmations: tooMany < 0 ? found : found.slice(0, tooMany), now };
  }

  private async isExpired({ organizationId, expiresAt }: Confirmation): Promise<boolean> {
    return expiresAt <= (await this.now(organizationId));
  }

  /** Returns the time of the database, so that the clocks of several processes need not agree. */
  private async now(organizationId: string): Promise<Date> {
    return await this.tenants.session(organizationId).now();
  }
}

function answerOf({ id, state }: Confirmation): AppError {
  if (state === 'declined') {
    return new AppError(
      'forbidden',
      `A signed-in member of your organization declined this call (${id}). Do not repeat it unless they ask you to.`,
    );
  }
  return required(id);
}

function required(id: string, expiredId?: string): ConfirmationRequired {
  const expired =
    expiredId === undefined ? '' : `Nobody answered ${expiredId} in time, so it has expired. `;
  return new ConfirmationRequired(
    id,
    `${expired}Nothing was done: a signed-in member of your organization must approve this call first. Ask them to ` +
      `approve the confirmation ${id} within ${ANSWER_MINUTES} minutes. Then make the same call with the same ` +
      'arguments again. You cannot approve it.',
  );
}

function minutesAfter(time: Date, minutes: number): Date {
  return new Date(time.getTime() + minutes * MINUTE_MS);
}
