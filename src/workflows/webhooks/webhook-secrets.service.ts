import { Injectable } from '@nestjs/common';
import { randomBase62 } from '../../text/ids.js';
import { SecretBox } from '../../database/secret-box.js';
import { AppError } from '../../errors/app-error.js';
import type { Trigger } from '../definitions/trigger.js';
import type { WebhookOptions, Workflow } from '../store/workflow.entity.js';

/** A multiple of four, so that every library of Standard Webhooks can read it as base64, which is what they do. */
const SECRET_LENGTH = 44;

type Stored = Pick<
  Workflow,
  'secret' | 'previousSecret' | 'previousSecretUntil' | 'webhookOptions'
>;

/** What a trigger says of the webhook's secrets and options, as it is stored. */
export interface WebhookChange {
  stored: Partial<Stored>;
  /** A secret that was made or given: the only time that it can be seen. */
  secret: string | null;
}

@Injectable()
export class WebhookSecrets {
  constructor(private readonly secrets: SecretBox) {}

  /** What changes for the workflow with this id, of which `before` is stored if there is one. */
  change(id: string, trigger: Trigger | undefined, before?: Stored): WebhookChange {
    if (!trigger) return { stored: {}, secret: null };
    const current = before?.secret ?? null;
    const isRemoved = trigger.secret === null || trigger.type !== 'webhook';
    if (isRemoved) {
      assertSecret(trigger, null);
      const stored = { secret: null, previousSecret: null, previousSecretUntil: null };
      return {
        stored: { ...stored, webhookOptions: optionsOf(trigger, before, true) },
        secret: null,
      };
    }
    const { overlapSeconds } = trigger;
    const keeps = trigger.secret === true && current !== null && overlapSeconds === undefined;
    const secret = keeps ? null : newSecret(trigger);
    const sealed = secret === null ? null : this.secrets.seal(secret, id);
    assertSecret(trigger, sealed ?? current);
    const stored: Partial<Stored> = { webhookOptions: optionsOf(trigger, before, false) };
    if (sealed) {
      const isKept = current !== null && overlapSeconds !== undefined && overlapSeconds > 0;
      stored.secret = sealed;
      // Without an overlap it is kept all the same, invalid, so that a sender which still uses it can be told so.
      stored.previousSecret = current;
      stored.previousSecretUntil = isKept ? new Date(Date.now() + overlapSeconds * 1000) : null;
    } else if (overlapSeconds === 0) {
      stored.previousSecretUntil = null;
    }
    return { stored, secret };
  }

  /** The secrets that a webhook may be signed with now. */
  open(
    id: string,
    webhook: { secret: Buffer | null; previousSecret: Buffer | null; previousIsValid: boolean },
  ): string[] {
    const { secret, previousSecret, previousIsValid } = webhook;
    return [secret, previousIsValid ? previousSecret : null]
      .filter((sealed) => sealed !== null)
      .map((sealed) => this.openOne(id, sealed));
  }

  openOne(id: string, sealed: Buffer): string {
    return this.secrets.open(sealed, id);
  }
}

function newSecret(trigger: Trigger): string | null {
  if (trigger.secret === true) return `whsec_${randomBase62(SECRET_LENGTH)}`;
  return trigger.secret ?? null;
}

function optionsOf(
  trigger: Trigger,
  before: Stored | undefined,
  isSecretRemoved: boolean,
): WebhookOptions {
  if (trigger.type !== 'webhook') return {};
  const { toleranceSeconds, waitSeconds } = trigger;
  const options: WebhookOptions = { ...before?.webhookOptions };
  if (isSecretRemoved || toleranceSeconds === null) delete options.toleranceSeconds;
  if (typeof toleranceSeconds === 'number') options.toleranceSeconds = toleranceSeconds;
  if (waitSeconds === null) delete options.waitSeconds;
  if (typeof waitSeconds === 'number') options.waitSeconds = waitSeconds;
  return options;
}

/** A time that nobody signs can be changed on the way, so without a secret it would only look like a protection. */
function assertSecret(trigger: Trigger, secret: Buffer | null): void {
  if (secret !== null || typeof trigger.toleranceSeconds !== 'number') return;
  const fault = { path: 'trigger.tolerance_seconds', message: 'needs a secret' };
  throw AppError.invalid(`${fault.path} ${fault.message}`, [fault]);
}
