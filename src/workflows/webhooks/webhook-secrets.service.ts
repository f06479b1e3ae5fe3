import { Injectable } from '@nestjs/common';
import { randomBase62 } from '../../text/ids.js';
import { SecretBox } from '../../database/secret-box.js';
import { AppError } from '../../errors/app-error.js';
import { FaultList } from '../../errors/fault-list.js';
import type { Trigger } from '../definitions/trigger.js';
import {
  changeWebhookOptions,
  PRESET_TITLES,
  type SignaturePreset,
  type StoredWebhookOptions,
} from '../definitions/webhook-options.js';
import {
  addPrevious,
  latestEnd,
  MAX_VALID,
  readPrevious,
  validAt,
  writePrevious,
} from './previous-secrets.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import type { Workflow } from '../store/workflow.entity.js';

/**
 * The length of a generated secret. It is a multiple of four, because libraries of Standard Webhooks decode the secret
 * as base64.
 */
const SECRET_LENGTH = 44;
/** The providers at which a person can enter any secret. The other providers generate their secrets. */
const TAKES_ANY_SECRET: readonly SignaturePreset[] = ['github', 'typeform'];
const WITHOUT_SECRETS = { secret: null, previousSecret: null, previousSecretUntil: null };

type WebhookColumns = Pick<
  Workflow,
  'secret' | 'previousSecret' | 'previousSecretUntil' | 'webhookOptions'
>;

/** The columns that a new trigger of a workflow changes. */
export interface WebhookChange {
  stored: Partial<WebhookColumns>;
  /** The new secret in plain text, or null. It cannot be read later. */
  secret: string | null;
}

/** Generates and encrypts the secrets of webhooks. */
@Injectable()
export class WebhookSecretsService {
  constructor(
    private readonly secrets: SecretBox,
    private readonly deliveries: WebhookDeliveriesRepository,
  ) {}

  /**
   * Returns the changes for a workflow that gets this trigger. `before` is its current row, if any. Throws
   * `invalid_arguments` for options that do not fit each other or the secret. `secretPath` is the path of the secret in
   * the arguments.
   */
  change(
    id: string,
    trigger: Trigger | undefined,
    before?: WebhookColumns,
    secretPath = 'trigger.secret',
  ): WebhookChange {
    if (!trigger) return { stored: {}, secret: null };
    // A workflow may become a webhook again, at the same address. If its secret were removed, anybody could start it
    // then.
    if (trigger.type !== 'webhook') return { stored: {}, secret: null };
    const current = before?.secret ?? null;
    if (trigger.secret === null) {
      const webhookOptions = optionsOf(trigger, before, false);
      return { stored: { ...WITHOUT_SECRETS, webhookOptions }, secret: null };
    }
    const { overlapSeconds } = trigger;
    const keeps = trigger.secret === true && current !== null && overlapSeconds === undefined;
    const webhookOptions = optionsOf(trigger, before, !!trigger.secret || current !== null);
    if (trigger.secret === true && !keeps) assertMayGenerate(webhookOptions, secretPath);
    const secret = keeps ? null : newSecret(trigger);
    const sealed = secret === null ? null : this.secrets.seal(secret, id);
    const stored: Partial<WebhookColumns> = { webhookOptions };
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
    // The column decides whether previous secrets are valid. The column is null when all overlaps were ended
    // immediately, but the list still has the original times.
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

  /**
   * Returns a secret, or null when it was sealed with an unknown key. Such a secret must not prevent its replacement.
   */
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

/**
 * Returns the options after the change. Throws `invalid_arguments` for options that need a secret when there is none.
 */
function optionsOf(
  trigger: Trigger,
  before: WebhookColumns | undefined,
  hasSecret: boolean,
): StoredWebhookOptions {
  const faults = new FaultList();
  const changes = trigger.webhook ?? {};
  const options = changeWebhookOptions(before?.webhookOptions ?? {}, changes, hasSecret, faults);
  const [first] = faults.first;
  if (first) throw AppError.invalid(`${first.path} ${first.message}`, faults.first);
  return options;
}

/**
 * Refuses to generate a secret for a provider that generates it itself. With another secret, all deliveries of this
 * provider would be refused.
 */
function assertMayGenerate({ signature }: StoredWebhookOptions, path: string): void {
  if (signature === undefined || TAKES_ANY_SECRET.includes(signature)) return;
  const message = `must be the secret that ${PRESET_TITLES[signature]} shows, as text`;
  throw AppError.invalidField(path, message);
}
