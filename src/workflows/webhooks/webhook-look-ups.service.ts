import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Batcher } from '../../batching/batcher.js';
import { GateDatabase } from '../../database/gate-database.js';
import { AppError } from '../../errors/app-error.js';
import type { WebhookOptions } from '../store/workflow.entity.js';
import { NO_WEBHOOK } from './malformed-webhook-path.js';
import { WebhookSecrets } from './webhook-secrets.service.js';
import type { Webhook } from './webhook.js';

const WORKFLOW_ID = /^[0-9A-Za-z]{32}$/;
const MOST_REMEMBERED = 1000;

interface FoundWebhook {
  organization_id: string;
  revision: string;
  active: boolean;
  secret: Buffer | null;
  previous_secret: Buffer | null;
  previous_is_valid: boolean;
  options: WebhookOptions;
  condition: string | null;
  limited: boolean;
}

/** Finds the webhook that an address is of. */
@Injectable()
export class WebhookLookUps {
  private readonly remembered = new LRUCache<string, Webhook>({ max: MOST_REMEMBERED });
  private readonly lookUps = new Batcher<string, ReadonlyMap<string, FoundWebhook>>((_, ids) =>
    this.lookUp([...new Set(ids)]),
  );

  constructor(
    private readonly gate: GateDatabase,
    private readonly secrets: WebhookSecrets,
  ) {}

  /** Throws one `not_found` for ids that are malformed, unknown, deleted or not of a webhook. */
  async find(workflowId: string): Promise<Webhook> {
    if (!WORKFLOW_ID.test(workflowId)) throw noWebhook();
    const { result } = await this.lookUps.add('', workflowId);
    const found = result.get(workflowId);
    const webhook = found && this.webhookOf(workflowId, found);
    // The rest depends on more than the row of the workflow.
    const isSteady =
      webhook?.active && webhook.condition === undefined && !found?.previous_is_valid;
    if (isSteady) this.remembered.set(workflowId, webhook);
    else this.remembered.delete(workflowId);
    if (!webhook) throw noWebhook();
    return webhook;
  }

  /**
   * The webhook as it was when it was found last. It may have changed or gone since: what is done by it must hold only
   * while its revision is still that of the workflow.
   */
  recall(workflowId: string): Webhook | undefined {
    return this.remembered.get(workflowId);
  }

  private async lookUp(ids: readonly string[]): Promise<ReadonlyMap<string, FoundWebhook>> {
    const rows = await this.gate.callForEach<FoundWebhook>('find_webhook', ids, 'text');
    return new Map(rows.map((row) => [ids[row.position]!, row]));
  }

  private webhookOf(workflowId: string, found: FoundWebhook): Webhook {
    const stored = {
      secret: found.secret,
      previousSecret: found.previous_secret,
      previousIsValid: found.previous_is_valid,
    };
    return {
      workflowId,
      organizationId: found.organization_id,
      revision: found.revision,
      active: found.active,
      secrets: this.secrets.open(workflowId, stored),
      formerSecret: found.previous_is_valid ? null : found.previous_secret,
      options: found.options,
      isLimited: found.limited,
      condition: found.condition ?? undefined,
    };
  }
}

export function noWebhook(): AppError {
  return new AppError('not_found', NO_WEBHOOK);
}
