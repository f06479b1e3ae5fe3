import { SqlMigration } from './sql-migration.js';

/**
 * Stores the accounts of organizations at providers of channels, and lets the limits of these accounts delay messages.
 */
export class Channels1764000041000 extends SqlMigration {
  readonly name = 'Channels1764000041000';
  readonly files = [
    'tables/channel_providers.sql',
    'functions/reserve_token.sql',
    'functions/tenant_privileges.sql',
  ];
  readonly objects = ['function gate.reserve_token', 'table public.channel_providers'];
}
