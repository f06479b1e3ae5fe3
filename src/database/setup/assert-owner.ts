import type { Client } from 'pg';
import { AppError } from '../../errors/app-error.js';

interface Rights {
  user: string;
  database: string;
  owns_database: boolean;
  creates_roles: boolean;
  is_new: boolean;
  foreign_table: string | null;
  foreign_owner: string | null;
}

/**
 * Checks the user of DATABASE_URL before the first migration. The user must own the database and the tables in it, and
 * must be allowed to create the roles of the service. When rights are missing, throws an error for the first missing
 * right, with the statement that grants it.
 */
export async function assertOwner(client: Client): Promise<void> {
  const { rows } = await client.query<Rights>(`
    select quote_ident(r.rolname) as user, quote_ident(d.datname) as database,
      pg_has_role(d.datdba, 'usage') as owns_database,
      r.rolcreaterole or r.rolsuper as creates_roles,
      to_regclass('private.installation') is null as is_new,
      f.name as foreign_table, f.owner as foreign_owner
    from pg_roles r
    cross join pg_database d
    left join lateral (
      select c.oid::regclass::text as name, quote_ident(pg_get_userbyid(c.relowner)) as owner
      from pg_class c
      where not pg_has_role(c.relowner, 'usage') and c.oid in (
        to_regclass('public.migrations'), to_regclass('public.organizations'), to_regclass('private.installation'))
      limit 1
    ) f on true
    where r.rolname = current_user and d.datname = current_database()`);
  const { user, database, ...found } = rows[0]!;
  if (!found.owns_database) {
    throw wrongRights(
      `its user ${user} does not own the database ${database}`,
      `alter database ${database} owner to ${user}`,
    );
  }
  if (found.foreign_owner !== null) {
    throw wrongRights(
      `the table ${found.foreign_table} belongs to ${found.foreign_owner} and not to its user ${user}`,
      `reassign owned by ${found.foreign_owner} to ${user}`,
    );
  }
  if (found.is_new && !found.creates_roles) throw missingCreateRole(user);
}

/** Returns the error for a user who may not create the roles of the service. */
export function missingCreateRole(user: string | undefined, cause?: unknown): AppError {
  return wrongRights(
    `its user may not create roles, and Switchboard needs two that cannot bypass row-level security`,
    `alter role ${user} createrole`,
    cause,
  );
}

function wrongRights(what: string, statement: string, cause?: unknown): AppError {
  const message = `DATABASE_URL: ${what}. As an administrator run: ${statement}`;
  return new AppError('forbidden', message, { cause });
}
