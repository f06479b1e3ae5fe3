import { Injectable } from '@nestjs/common';
import { randomBase62 } from '../../text/ids.js';
import { SecretBox } from '../../database/secret-box.js';
import { AppError } from '../../errors/app-error.js';
import type { Trigger } from '../definitions/trigger.js';
import {
  addPrevious,
  latestEnd,
  MAX_VALID,
  readPrevious,
  validAt,
  writePrevious,
} from './previous-secrets.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import type { WebhookOptions, Workflow } from '../store/workflow.entity.js';

/** The length is a multiple of four, because libraries of Standard Webhooks decode the secret as base64. */
const SECRET_LENGTH = 44;
const WITHOUT_SECRETS = { secret: null, previousSecret: null, previousSecretUntil: null };

type WebhookColumns = Pick<
  Workflow,
  'secret' | 'previousSecret' | 'previousSecretUntil' | 'webhookOptions'
>;

/** Lists the columns of a workflow that a new trigger changes. */
export interface WebhookChange {
  stored: Partial<WebhookColumns>;
  /** Has the new secret in plain text, or null. It cannot be read later. */
  secret: string | null;
}

/** Generates and encrypts the secrets of webhooks. */
@Injectable()
export class WebhookSecretsService {
  constructor(
    private readonly secrets: SecretBox,
    private readonly deliveries: WebhookDeliveriesRepository,
  ) {}

  /** Returns the changes for a workflow that gets this trigger. `before` is its current row, if any. */
  change(id: string, trigger: Trigger | undefined, before?: WebhookColumns): WebhookChange {
    if (!trigger) return { stored: {}, secret: null };
    // A workflow may become a webhook again, at the same address. Without its secret, anybody could start it then.
    if (trigger.type !== 'webhook') return { stored: {}, secret: null };
    const current = before?.secret ?? null;
    if (trigger.secret === null) {
      assertSecret(trigger, null);
      return {
        stored: { ...WITHOUT_SECRETS, webhookOptions: optionsOf(trigger, before, true) },
        secret: null,
      };
    }
    const { overlapSeconds } = trigger;
    const keeps = trigger.secret === true && current !== null && overlapSeconds === undefined;
    const secret = keeps ? null : newSecret(trigger);
    const sealed = secret === null ? null : this.secrets.seal(secret, id);
    assertSecret(trigger, sealed ?? current);
    const stored: Partial<WebhookColumns> = { webhookOptions: optionsOf(trigger, before, false) };
    if (sealed) {
      stored.secret = sealed;
      Object.assign(stored, this.replace(id, before, overlapSeconds ?? 0));
    } else if (overlapSeconds === 0) {
      stored.previousSecretUntil = null;
    }
    return { stored, secret };
  }

  /** Returns the columns of the previous secrets after the current secret was replaced. */
  private replace(
    id: string,
    before: WebhookColumns | undefined,
    overlapSeconds: number,
  ): Pick<WebhookColumns, 'previousSecret' | 'previousSecretUntil'> {
    const now = Date.now();
    const { secret = null, previousSecret = null, previousSecretUntil = null } = before ?? {};
    const text = this.openIfPossible(previousSecret, id);
    // Overlaps that were ended at once have no time in the column.
    const isValid = previousSecretUntil !== null && previousSecretUntil.getTime() > now;
    const earlier = (text === null ? [] : readPrevious(text)).map((previous) =>
      isValid ? previous : { ...previous, until: null },
    );
    const current = this.openIfPossible(secret, id);
    const list = addPrevious(earlier, current, overlapSeconds, now);
    if (validAt(list, now).length > MAX_VALID) throw tooManyOverlaps();
    return {
      previousSecret: list.length > 0 ? this.secrets.seal(writePrevious(list), id) : null,
      previousSecretUntil: latestEnd(list),
    };
  }

  /** Returns null for a secret that was sealed with an unknown key. It must not prevent that a new secret replaces it. */
  private openIfPossible(sealed: Buffer | null, id: string): string | null {
    try {
      return sealed && this.secrets.open(sealed, id);
    } catch {
      return null;
    }
  }

  /** Deletes the delivery log of a workflow. Returns the column values that remove the secrets of its webhook. */
  async remove(organizationId: string, workflowId: string): Promise<Partial<WebhookColumns>> {
    await this.deliveries.deleteAll(organizationId, workflowId);
    return WITHOUT_SECRETS;
  }
}

function tooManyOverlaps(): AppError {
  const path = 'trigger.overlap_seconds';
  const message = `must be 0, because ${MAX_VALID} previous secrets are still valid`;
  return AppError.invalidField(path, message);
}

function newSecret(trigger: Trigger): string | null {
  if (trigger.secret === true) return `whsec_${randomBase62(SECRET_LENGTH)}`;
  return trigger.secret ?? null;
}

function optionsOf(
  trigger: Trigger,
  before: WebhookColumns | undefined,
  isSecretRemoved: boolean,
): WebhookOptions {
  const { toleranceSeconds, waitSeconds, dedupeSeconds } = trigger;
  const options: WebhookOptions = { ...before?.webhookOptions };
  if (isSecretRemoved || toleranceSeconds === null) delete options.toleranceSeconds;
  if (typeof toleranceSeconds === 'number') options.toleranceSeconds = toleranceSeconds;
  if (waitSeconds === null) delete options.waitSeconds;
  if (typeof waitSeconds === 'number') options.waitSeconds = waitSeconds;
  if (dedupeSeconds === null) delete options.dedupeSeconds;
  if (typeof dedupeSeconds === 'number') options.dedupeSeconds = dedupeSeconds;
  return options;
}

/** Refuses a tolerance without a secret: a timestamp that nobody signs protects nothing. */
function assertSecret(trigger: Trigger, secret: Buffer | null): void {
  if (secret !== null || typeof trigger.toleranceSeconds !== 'number') return;
  const fault = { path: 'trigger.tolerance_seconds', message: 'needs a secret' };
  throw AppError.invalid(`${fault.path} ${fault.message}`, [fault]);
}
