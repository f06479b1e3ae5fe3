import type { Client } from 'pg';
import { counted } from '../../text/counted.js';
import type { SecretBox } from '../secret-box.js';
import type { StoredTable } from './stored-tables.js';

/** The tables with stored secrets, each with SQL of the organization and the sealed value of each secret. */
const SEALED: Readonly<Record<string, string>> = {
  'public.workflows': `select organization_id, unnest(array[secret, previous_secret]) as sealed from public.workflows
    where deleted_at is null`,
  'public.secrets': 'select organization_id, sealed from public.secrets',
  'public.channel_providers': 'select organization_id, sealed from public.channel_providers',
  'public.sender_keys': 'select organization_id, sealed from public.sender_keys',
};

/**
 * Returns the ids, in hexadecimal, of the keys that a restore needs: the keys of the box that sealed stored secrets, and
 * its current key, which signs resume URLs. Logs how many secrets the box does not open.
 *
 * SQL of a tool can store any bytes as a secret. If each unknown id was returned, one such row would make every restore
 * fail, and many rows would make the header too long. So an unknown id is returned only when the box opens none of the
 * secrets, because then the command probably has a wrong SECRET_KEY. It is the id that most organizations have.
 */
export async function findSecretKeys(
  client: Client,
  tables: readonly StoredTable[],
  box: SecretBox,
  log: (line: string) => void,
): Promise<string[]> {
  const selects = tables.flatMap(({ name }) => SEALED[name] ?? []);
  const { rows } = await client.query<{ id: string; isKnown: boolean; secrets: string }>(
    `select id, id = any($2) as "isKnown", sum(count(*)) over (partition by id = any($2))::text as secrets
     from (${selects.join(' union all ')}) stored, lateral (select encode(substr(sealed, 1, $1), 'hex') as id) key
     where sealed is not null
     group by id order by 2 desc, count(distinct organization_id) desc, count(*) desc, id limit $3`,
    [box.currentId.length, box.ids, box.ids.length + 1],
  );
  const known = rows.filter(({ isKnown }) => isKnown).map(({ id }) => id);
  const unknown = rows.find(({ isKnown }) => !isKnown);
  if (unknown) {
    log(
      `Warning: ${counted(Number(unknown.secrets), 'stored secret')} cannot be decrypted with the SECRET_KEY of this ` +
        'command. If the service has another key, a restore needs the key of the service: keep it in a safe place.',
    );
    if (known.length === 0) return [unknown.id];
  }
  return [...new Set([...known, box.currentId.toString('hex')])];
}
