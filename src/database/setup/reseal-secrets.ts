import type { Client } from 'pg';
import type { SecretBox } from '../secret-box.js';

const BATCH = 100;
/** Each pass finds what processes with the earlier key sealed during the pass before. */
const MAX_PASSES = 5;

interface SealedRow {
  organization_id: string;
  id: string;
  secret: Buffer | null;
  previous_secret: Buffer | null;
}

export interface ResealResult {
  /** Counts the workflows whose secrets were encrypted again. */
  resealed: number;
  /** Lists the ids of workflows with a secret that neither key opens. These secrets were left as they are. */
  unreadable: string[];
}

/**
 * Encrypts all stored secrets with the current key of the box. Processes that have both keys can run meanwhile. It
 * commits every hundred workflows. A call after an interrupted one continues where that one stopped, because rows that
 * are sealed with the current key are not selected.
 */
export async function resealSecrets(client: Client, box: SecretBox): Promise<ResealResult> {
  let resealed = 0;
  for (let pass = 1; ; pass += 1) {
    const found = await runPass(client, box);
    resealed += found.resealed;
    if (found.resealed === 0 || pass === MAX_PASSES) return { ...found, resealed };
  }
}

async function runPass(client: Client, box: SecretBox): Promise<ResealResult> {
  const result: ResealResult = { resealed: 0, unreadable: [] };
  let after: Pick<SealedRow, 'organization_id' | 'id'> | undefined = {
    organization_id: '',
    id: '',
  };
  while (after) {
    await client.query('begin');
    try {
      after = await runBatch(client, box, after, result);
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
  after: Pick<SealedRow, 'organization_id' | 'id'>,
  result: ResealResult,
): Promise<SealedRow | undefined> {
  // The lock does not stop webhooks: they lock the key of the row only.
  const { rows } = await client.query<SealedRow>(
    `select organization_id, id, secret, previous_secret from public.workflows
     where (organization_id, id) > ($1, $2)
       and (substr(secret, 1, $4) <> $3 or substr(previous_secret, 1, $4) <> $3)
     order by organization_id, id limit ${BATCH} for no key update`,
    [after.organization_id, after.id, box.currentId, box.currentId.length],
  );
  const readable = rows.flatMap((row) => {
    try {
      const open = (sealed: Buffer | null) => sealed && box.reseal(sealed, row.id);
      return [{ ...row, secret: open(row.secret), previous_secret: open(row.previous_secret) }];
    } catch {
      result.unreadable.push(row.id);
      return [];
    }
  });
  await client.query(
    `update public.workflows w set secret = g.secret, previous_secret = g.previous_secret
     from unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[])
       as g (organization_id, id, secret, previous_secret)
     where w.organization_id = g.organization_id and w.id = g.id`,
    [
      readable.map((row) => row.organization_id),
      readable.map(({ id }) => id),
      readable.map(({ secret }) => secret),
      readable.map((row) => row.previous_secret),
    ],
  );
  result.resealed += readable.length;
  return rows.at(-1);
}
