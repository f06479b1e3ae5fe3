import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { GateDatabase } from '../../database/gate-database.js';
import { GateLookUps } from '../../database/gate-look-ups.js';
import { SecretBox } from '../../database/secret-box.js';
import type { StoredWebhookOptions } from '../definitions/webhook-options.js';
import { readPrevious, validAt } from './previous-secrets.js';
import { noWebhook, type Webhook } from './webhook.js';

const WORKFLOW_ID = /^[0-9A-Za-z]{32}$/;
const MAX_CACHED = 1000;
/** The largest size of the cached options and secrets, as characters of JSON. */
const MAX_CACHED_CHARACTERS = 4 * 1024 * 1024;

interface FoundWebhook {
  organization_id: string;
  revision: string;
  active: boolean;
  secret: Buffer | null;
  previous_secret: Buffer | null;
  previous_is_valid: boolean;
  options: StoredWebhookOptions;
  condition: string | null;
  limited: boolean;
}

@Injectable()
export class WebhookLookUpsService {
  private readonly cache = new LRUCache<string, Webhook>({
    max: MAX_CACHED,
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: ({ options, secrets, previousSecrets }) =>
      JSON.stringify([options, secrets]).length + (previousSecrets?.length ?? 0),
  });
  private readonly lookUps: GateLookUps<[workflowId: string], FoundWebhook>;

  constructor(
    gate: GateDatabase,
    private readonly secrets: SecretBox,
  ) {
    this.lookUps = new GateLookUps(gate, 'find_webhook', ['text']);
  }

  /**
   * Reads a webhook from the database. Throws `not_found` for a malformed or unknown id, and for the id of a workflow
   * that is deleted or has no webhook.
   */
  async find(workflowId: string): Promise<Webhook> {
    if (!WORKFLOW_ID.test(workflowId)) throw noWebhook();
    const lookedUpAt = performance.now();
    const found = await this.lookUps.find(workflowId);
    const webhook = found && this.webhookOf(workflowId, found, lookedUpAt);
    if (webhook && isCacheable(found)) this.cache.set(workflowId, webhook);
    else this.cache.delete(workflowId);
    if (!webhook) throw noWebhook();
    return webhook;
  }

  /**
   * Returns the webhook as it was last found. It may have been changed or deleted, so use it only for a statement that
   * stores nothing when the workflow has another revision.
   */
  getCached(workflowId: string): Webhook | undefined {
    return this.cache.get(workflowId);
  }

  private webhookOf(workflowId: string, found: FoundWebhook, lookedUpAt: number): Webhook {
    const { secret, previous_secret: previous, previous_is_valid: isValid } = found;
    const text = isValid && previous ? this.secrets.open(previous, workflowId) : '[]';
    return {
      workflowId,
      organizationId: found.organization_id,
      revision: found.revision,
      lookedUpAt,
      active: found.active,
      secrets: [
        ...(secret ? [this.secrets.open(secret, workflowId)] : []),
        ...validAt(readPrevious(text), Date.now()).map((one) => one.secret),
      ],
      previousSecrets: previous,
      options: found.options,
      isLimited: found.limited,
      condition: found.condition ?? undefined,
    };
  }
}

/**
 * Returns true when one statement can store the runs of the webhook, and every change of the webhook changes the
 * revision of its workflow. A webhook with a valid previous secret is not cached, because this secret becomes invalid
 * without a new revision.
 */
function isCacheable(found: FoundWebhook): boolean {
  const { active, condition, options, previous_is_valid: hasPreviousSecret } = found;
  const isOneStatement = condition === null && options.dedupeSeconds === undefined;
  return active && isOneStatement && !hasPreviousSecret;
}
