import 'reflect-metadata';
import type { Client } from 'pg';
import { loadProcessEnv } from './load-process-env.js';
import { toError } from '../errors/app-error.js';
import { withOwner } from './owner-connection.js';

/** The quotas whose limits can be removed for all organizations. */
const UNLIMITED: ReadonlySet<string> = new Set(['messages', 'contacts', 'runs', 'stored_bytes']);
const USAGE = `Usage:
  npm run quotas                               shows the defaults
  npm run quotas -- ORGANIZATION_ID            shows the quotas and what is used
  npm run quotas -- ORGANIZATION_ID NAME VALUE sets a quota; VALUE "default" removes the exception
  npm run quotas -- default NAME VALUE         sets the default of all organizations without an exception;
                                               VALUE "none" removes the limit of messages,
                                               contacts, runs or stored_bytes`;

/**
 * Shows or sets quotas, for operators. A change applies when the database hands out the next block of the quota. For a
 * measured quota of one organization, the change applies immediately, because this command measures the quota again.
 */
export async function runQuotas(parameters: readonly string[]): Promise<void> {
  try {
    await withOwner(loadProcessEnv(), (client) => run(client, parameters));
  } catch (error) {
    process.stderr.write(`${toError(error).message}\n${USAGE}\n`);
    process.exitCode = 2;
  }
}

async function run(
  client: Client,
  [target, name, value, ...more]: readonly string[],
): Promise<void> {
  if (more.length > 0 || (name !== undefined && value === undefined)) {
    throw new Error('The number of parameters is wrong. See the usage below.');
  }
  if (target !== undefined && target !== 'default') await assertOrganization(client, target);
  if (target !== undefined && name !== undefined) await set(client, target, name, value!);
  const organization = target === 'default' ? null : (target ?? null);
  if (organization !== null) await client.query('select gate.measure_quotas($1)', [organization]);
  const { rows } = await client.query<{
    name: string;
    daily: boolean;
    amount: string | null;
    used: string;
  }>(
    `select d.name, d.daily, coalesce(e.amount, d.amount) as amount, case when u.used is not null then u.used when not d.daily
         or g.day = (now() at time zone 'UTC')::date then coalesce(g.granted, 0) - coalesce((
         select sum(b.remaining) from private.quota_blocks b
         where b.organization_id = $1 and b.name = d.name and b.day = g.day), 0) else 0 end as used
     from private.quota_defaults d
     left join private.quota_exceptions e on e.name = d.name and e.organization_id = $1
     left join private.quota_usage u on u.name = d.name and u.organization_id = $1
     left join private.quota_grants g on g.name = d.name and g.organization_id = $1
     order by d.name`,
    [organization],
  );
  for (const row of rows) {
    const used = organization === null ? '' : `, ${row.used} used`;
    process.stdout.write(
      `${row.name}: ${row.amount ?? 'no limit'}${row.daily ? ' a day' : ''}${used}\n`,
    );
  }
}

async function assertOrganization(client: Client, id: string): Promise<void> {
  const { rows } = await client.query('select from public.organizations where id = $1', [id]);
  if (rows.length === 0) throw new Error('There is no organization with this id.');
}

async function set(client: Client, target: string, name: string, value: string): Promise<void> {
  const { rows } = await client.query('select from private.quota_defaults where name = $1', [name]);
  if (rows.length === 0)
    throw new Error(
      'There is no quota with this name. Without arguments, this command lists the names.',
    );
  if (target === 'default' && UNLIMITED.has(name) && value === 'none') {
    await client.query('update private.quota_defaults set amount = null where name = $1', [name]);
    return;
  }
  if (value === 'default' && target !== 'default') {
    await client.query(
      'delete from private.quota_exceptions where organization_id = $1 and name = $2',
      [target, name],
    );
    return;
  }
  if (!/^\d{1,12}$/.test(value))
    throw new Error('VALUE must be a whole number, or a word that the usage below allows.');
  if (target === 'default') {
    await client.query('update private.quota_defaults set amount = $2 where name = $1', [
      name,
      value,
    ]);
    return;
  }
  await client.query(
    `insert into private.quota_exceptions (organization_id, name, amount) values ($1, $2, $3)
     on conflict (organization_id, name) do update
     set amount = excluded.amount, set_by = excluded.set_by`,
    [target, name, value],
  );
}
