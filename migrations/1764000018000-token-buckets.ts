import { SqlMigration } from './sql-migration.js';

/**
 * Creates token buckets that all processes share. A lock of one organization no longer delays calls of the gate for
 * other organizations.
 */
export class TokenBuckets1764000018000 extends SqlMigration {
  readonly name = 'TokenBuckets1764000018000';
  readonly files = [
    'tables/token_buckets.sql',
    'tables/known_addresses.sql',
    'functions/take_token.sql',
    'functions/take_sign_in_token.sql',
    'functions/remember_address.sql',
    'functions/purge_token_buckets.sql',
    'functions/lock_for_member.sql',
    'functions/renew_messages.sql',
    'functions/release_messages.sql',
  ];
  readonly objects = [
    'function gate.purge_token_buckets',
    'function gate.remember_address',
    'function gate.take_sign_in_token',
    'function gate.take_token',
    'table gate.known_addresses',
    'table gate.token_buckets',
  ];
}
