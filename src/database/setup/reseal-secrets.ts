import type { Client } from 'pg';
import type { SecretBox } from '../secret-box.js';

const BATCH = 100;
/**
 * The largest number of passes. Each pass finds the secrets that were encrypted with the earlier key during the
 * previous pass, by processes that still have this key.
 */
const MAX_PASSES = 5;

interface SealedRow {
  organization_id: string;
  id: string;
  secret: Buffer | null;
  previous_secret: Buffer | null;
}

/**
 * A table with sealed columns. In its statements, $1 and $2 are the last row of the previous batch, and $3 and $4 are
 * the current key.
 */
interface SealedTable {
  readonly select: string;
  readonly update: string;
  /** Returns the context with which the row was sealed. */
  readonly contextOf: (row: SealedRow) => string;
}

// `for no key update` does not stop webhooks, because their inserts lock only the key of the row.
const WORKFLOWS: SealedTable = {
  select: `select organization_id, id, secret, previous_secret from public.workflows
    where (organization_id, id) > ($1, $2)
      and (substr(secret, 1, $4) <> $3 or substr(previous_secret, 1, $4) <> $3)
    order by organization_id, id limit ${BATCH} for no key update`,
  update: `update public.workflows w set secret = g.secret, previous_secret = g.previous_secret
    from unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[])
      as g (organization_id, id, secret, previous_secret)
    where w.organization_id = g.organization_id and w.id = g.id`,
  contextOf: ({ id }) => id,
};
const SECRETS: SealedTable = {
  select: `select organization_id, name as id, sealed as secret, null::bytea as previous_secret from public.secrets
    where (organization_id, name) > ($1, $2) and substr(sealed, 1, $4) <> $3
    order by organization_id, name limit ${BATCH} for no key update`,
  update: `update public.secrets s set sealed = g.secret
    from unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[])
      as g (organization_id, name, secret, previous_secret)
    where s.organization_id = g.organization_id and s.name = g.name`,
  contextOf: (row) => `secret ${row.organization_id} ${row.id}`,
};
const CHANNEL_PROVIDERS: SealedTable = {
  select: `select organization_id, id, sealed as secret, null::bytea as previous_secret from public.channel_providers
    where (organization_id, id) > ($1, $2) and substr(sealed, 1, $4) <> $3
    order by organization_id, id limit ${BATCH} for no key update`,
  update: `update public.channel_providers p set sealed = g.secret
    from unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[])
      as g (organization_id, id, secret, previous_secret)
    where p.organization_id = g.organization_id and p.id = g.id`,
  contextOf: (row) => `channel provider ${row.organization_id} ${row.id}`,
};
const SENDER_KEYS: SealedTable = {
  select: `select organization_id, selector as id, sealed as secret, null::bytea as previous_secret from public.sender_keys
    where (organization_id, selector) > ($1, $2) and substr(sealed, 1, $4) <> $3
    order by organization_id, selector limit ${BATCH} for no key update`,
  update: `update public.sender_keys k set sealed = g.secret
    from unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[])
      as g (organization_id, id, secret, previous_secret)
    where k.organization_id = g.organization_id and k.selector = g.id`,
  contextOf: (row) => `sender key ${row.organization_id} ${row.id}`,
};

export interface ResealResult {
  /** The number of workflows whose secrets were encrypted again. */
  workflows: number;
  /**
   * The number of other secrets that were encrypted again: the secrets of organizations, of channel providers and of
   * sender domains.
   */
  secrets: number;
  /**
   * The objects whose secrets neither key opens: ids of workflows and providers, names of secrets, and selectors of
   * sender domains. These secrets stay as they were.
   */
  unreadable: string[];
}

/**
 * Encrypts all stored secrets with the current key of the box. Processes that have both keys can run meanwhile. Commits
 * every hundred rows. After an interrupted call, the next call continues with the remaining rows, because rows that are
 * sealed with the current key are not selected.
 */
export async function resealSecrets(client: Client, box: SecretBox): Promise<ResealResult> {
  const workflows = await resealTable(client, box, WORKFLOWS);
  const secrets = await resealTable(client, box, SECRETS);
  const providers = await resealTable(client, box, CHANNEL_PROVIDERS);
  const senders = await resealTable(client, box, SENDER_KEYS);
  return {
    workflows: workflows.resealed,
    secrets: secrets.resealed + providers.resealed + senders.resealed,
    unreadable: [workflows, secrets, providers, senders].flatMap(({ unreadable }) => unreadable),
  };
}

interface TableResult {
  resealed: number;
  unreadable: string[];
}

async function resealTable(
  client: Client,
  box: SecretBox,
  table: SealedTable,
): Promise<TableResult> {
  let resealed = 0;
  for (let pass = 1; ; pass += 1) {
    const found = await runPass(client, box, table);
    resealed += found.resealed;
    if (found.resealed === 0 || pass === MAX_PASSES) return { ...found, resealed };
  }
}

async function runPass(client: Client, box: SecretBox, table: SealedTable): Promise<TableResult> {
  const result: TableResult = { resealed: 0, unreadable: [] };
  let after: Pick<SealedRow, 'organization_id' | 'id'> | undefined = {
    organization_id: '',
    id: '',
  };
  while (after) {
    await client.query('begin');
    try {
      after = await runBatch(client, box, table, after, result);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  }
  return result;
}

/** Returns the last row of the batch, or undefined when there was none. */
async function runBatch(
  client: Client,
  box: SecretBox,
  { select, update, contextOf }: SealedTable,
  after: Pick<SealedRow, 'organization_id' | 'id'>,
  result: TableResult,
): Promise<SealedRow | undefined> {
  const { rows } = await client.query<SealedRow>(select, [
    after.organization_id,
    after.id,
    box.currentId,
    box.currentId.length,
  ]);
  const readable = rows.flatMap((row) => {
    try {
      const open = (sealed: Buffer | null) => sealed && box.reseal(sealed, contextOf(row));
      return [{ ...row, secret: open(row.secret), previous_secret: open(row.previous_secret) }];
    } catch {
      result.unreadable.push(row.id);
      return [];
    }
  });
  await client.query(update, [
    readable.map((row) => row.organization_id),
    readable.map(({ id }) => id),
    readable.map(({ secret }) => secret),
    readable.map((row) => row.previous_secret),
  ]);
  result.resealed += readable.length;
  return rows.at(-1);
}
