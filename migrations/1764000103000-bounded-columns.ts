import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

const KIB = 1024;
const MIB = 1024 * KIB;
/** Bytes of an id, of a name in an index, and of a key that a caller chose. */
const ID = 100;
const NAME = KIB;
const KEY = 1100;

type Columns = Readonly<Record<string, number>>;

/** The largest number of bytes of texts and of `bytea`. All columns of an index together have at most 2,600 bytes. */
const TEXTS: Readonly<Record<string, Columns>> = {
  channel_providers: { id: ID, channel: ID, name: NAME, updated_by: ID },
  confirmations: { id: ID, api_key_id: ID, tool: ID, digest: ID, answered_by: ID },
  contact_merges: { merged_id: ID, survivor_id: ID },
  contact_settings: { default_locale: ID, sms_help: 16 * KIB },
  contacts: {
    id: ID,
    external_id: KEY,
    email: KEY,
    phone: ID,
    first_name: 64 * KIB,
    last_name: 64 * KIB,
    locale: KIB,
    timezone: KIB,
    search_text: 8 * MIB,
  },
  custom_events: { id: ID, name: NAME, contact_id: ID, run_id: ID, data_preview: 64 * KIB },
  event_interests: { event: 200 },
  files: { id: ID, run_id: ID, name: 4 * KIB, content_type: 4 * KIB, sha256: ID },
  idempotency_keys: { tool: ID, key: KEY, fingerprint: ID },
  imports: { id: ID, name: 4 * KIB, encoding: ID, delimiter: ID, error: 64 * KIB },
  messages: {
    channel: ID,
    external_id: 2400,
    held_by: KEY,
    provider_message_id: KEY,
    run_id: ID,
  },
  pending_events: { id: ID, name: 200, contact_id: 200 },
  run_waits: {
    step_id: KIB,
    event: 200,
    contact_id: ID,
    child_run_id: ID,
    condition: MIB,
    error: MIB,
    armed_xid: ID,
    armed_snapshot: MIB,
  },
  secrets: { updated_by: ID },
  segment_changes: { contact_id: ID, xid: ID },
  segments: { id: ID, name: NAME, description: 64 * KIB, position: KIB, barrier: ID },
  sender_keys: { domain_id: ID, selector: ID, state: ID, public_key: 16 * KIB },
  sending_rules: { timezone: KIB },
  suppressed_addresses: { id: ID, channel: ID, address: KEY, message_id: ID },
  template_snippets: { id: ID, name: NAME },
  templates: { id: ID, name: NAME },
  topics: { title: 4 * KIB, description: 64 * KIB },
  webhook_deliveries: { id: ID, kind: ID, code: KIB, run_id: ID, body_hash: ID, body: 16 * MIB },
  workflow_runs: {
    id: ID,
    contact_id: ID,
    debounce_key: KEY,
    dedupe_key: KEY,
    delayed_by: ID,
    reason: KIB,
    root_run_id: ID,
    slot_key: KEY,
  },
  workflows: { id: ID, trigger_event: 200 },
};

/** The columns whose sum the earlier check of `run_waits` limited. */
const WAIT_TEXTS = [
  'run_id',
  'step_id',
  'event',
  'contact_id',
  'condition',
  'child_run_id',
  'error',
  'armed_xid',
  'armed_snapshot',
];

/** The largest number of bytes of JSON and of lists, as text. */
const VALUES: Readonly<Record<string, Columns>> = {
  confirmations: { arguments: MIB },
  contact_merges: { moved: 64 * MIB },
  contact_properties: { options: MIB },
  contacts: { tags: 4 * MIB, properties: 8 * MIB, consent: 4 * MIB },
  idempotency_keys: { result: 64 * MIB },
  message_digests: { variables: 16 * MIB, items: 64 * MIB },
  segments: { uses: 64 * KIB },
  sending_rules: { caps: MIB },
  topic_subscriptions: { evidence: MIB },
  webhook_deliveries: { headers: 4 * MIB, mistakes: 4 * MIB },
  workflow_versions: { tool_schemas: 8 * MIB, fitting_schemas: 8 * MIB, loose_references: 8 * MIB },
};

/**
 * Bounds every column that SQL of a tool can write. PostgreSQL compares the size of an index entry with its limit only
 * when a row enters the index. A row could enter a partial index for the first time in a function that works for all
 * organizations, and this function then failed for all of them. A row of more than 1 GB would prevent every backup.
 * Also lets claims neither wait for SQL of a tool nor read all running imports of an organization.
 *
 * All limits are above those of the service, so only SQL of a tool can have stored larger values. Rows with larger values
 * are deleted. Locks each table while its new check reads it.
 */
export class BoundedColumns1764000103000 extends SqlMigration {
  readonly name = 'BoundedColumns1764000103000';
  readonly files = [
    'functions/requeue_due_runs.sql',
    'functions/end_child_run.sql',
    'functions/claim_imports.sql',
    'functions/lock_name.sql',
  ];
  readonly objects = ['index public.imports_turns_idx', 'function public.lock_name'];

  override async up(runner: QueryRunner): Promise<void> {
    // The check of the sum contained columns that a restore fills, so a restore could violate it.
    await runner.query('alter table public.run_waits drop constraint run_waits_texts_check');
    for (const [table, condition] of Object.entries(conditions())) {
      await runner.query(`delete from public.${table} where not (${condition})`);
      await runner.query(
        `alter table public.${table} add constraint ${table}_bytes_check check (${condition})`,
      );
    }
    await runner.query('drop index public.imports_running_idx');
    await runner.query(
      `create index imports_turns_idx on public.imports (organization_id, started_at, id) where status = 'running'`,
    );
    await super.up(runner);
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    for (const table of Object.keys(conditions())) {
      await runner.query(`alter table public.${table} drop constraint ${table}_bytes_check`);
    }
    const bytes = WAIT_TEXTS.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');
    await runner.query(
      `alter table public.run_waits add constraint run_waits_texts_check check (${bytes} <= ${2 * MIB})`,
    );
    await runner.query(
      `create index imports_running_idx on public.imports (id) where status = 'running'`,
    );
  }
}

function conditions(): Record<string, string> {
  const tables = new Set([...Object.keys(TEXTS), ...Object.keys(VALUES)]);
  const conditionOf = (table: string): string =>
    [
      ...Object.entries(TEXTS[table] ?? {}).map(
        ([column, most]) => `octet_length(${column}) <= ${most}`,
      ),
      // A small stored value is not decompressed. PostgreSQL compresses at most to a 256th.
      ...Object.entries(VALUES[table] ?? {}).map(
        ([column, most]) =>
          `(pg_column_size(${column}) <= ${most / 256} or octet_length(${column}::text) <= ${most})`,
      ),
    ].join(' and ');
  return Object.fromEntries([...tables].map((table) => [table, conditionOf(table)]));
}
