import { SqlMigration } from './sql-migration.js';

/** Creates the delivery log of webhooks, and the function that finds a webhook. */
export class Webhooks1764000011000 extends SqlMigration {
  readonly name = 'Webhooks1764000011000';
  readonly files = ['tables/webhook_deliveries.sql', 'functions/find_webhook.sql'];
  readonly objects = ['function gate.find_webhook', 'table public.webhook_deliveries'];
}
