import { Client } from 'pg';
import { lookUpSql, type PgBouncerOptions } from '../support/pgbouncer.js';

const PASSWORD = 'test';

/**
 * An empty database whose owner has the rights that the user of DATABASE_URL needs. PgBouncer can look up the passwords
 * of the owner and of the roles that the owner creates.
 */
export interface OwnedDatabase {
  readonly name: string;
  /** The URL with which the owner connects to the server directly, without PgBouncer. */
  readonly url: string;
  /** A client that is connected to the database as a superuser. */
  readonly admin: Client;
  readonly bouncerOptions: PgBouncerOptions;
  /** Drops the database, its owner and all roles that were created in it. */
  drop(): Promise<void>;
}

/** Runs the documented SQL, which lets PgBouncer look up passwords, in the new database. */
export async function createOwnedDatabase(suffix: string): Promise<OwnedDatabase> {
  const server = new URL(process.env.TEST_TEMPLATE_URL!);
  const name = `${server.pathname.slice(1)}_${process.pid}_${suffix}`;
  const [owner, bouncer] = [`owner_${name}`, `pgbouncer_${name}`];
  const onServer = new Client({ connectionString: server.href });
  await onServer.connect();
  await onServer.query(`create role ${owner} login createrole password '${PASSWORD}'`);
  await onServer.query(`create database ${name} owner ${owner} template template0`);
  const admin = new Client({
    connectionString: Object.assign(new URL(server), { pathname: name }).href,
  });
  await admin.connect();
  // Roles belong to the whole server, so each test file has its own role of PgBouncer.
  const documented = await lookUpSql(PASSWORD);
  await admin.query(documented.replaceAll(/\b(role|to) pgbouncer\b/g, `$1 ${bouncer}`));
  const url = Object.assign(new URL(server), {
    username: owner,
    password: PASSWORD,
    pathname: name,
  });
  return {
    name,
    url: url.href,
    admin,
    bouncerOptions: {
      server: server.href,
      users: { [bouncer]: PASSWORD },
      settings: { auth_user: bouncer },
    },
    drop: async () => {
      const created = await findRoles(admin);
      await admin.end();
      await onServer.query(`drop database ${name} with (force)`);
      for (const role of [...created, owner, bouncer]) await onServer.query(`drop role ${role}`);
      await onServer.end();
    },
  };
}

/** Returns the roles of the service, which exist once a start has prepared the database. */
async function findRoles(admin: Client): Promise<string[]> {
  const installed = await admin.query(`select to_regclass('private.installation') as name`);
  if ((installed.rows as { name: string | null }[])[0]!.name === null) return [];
  const { rows } = await admin.query<{ suffix: string }>('select suffix from private.installation');
  return rows.flatMap(({ suffix }) => [
    `switchboard_tenant_${suffix}`,
    `switchboard_gate_${suffix}`,
  ]);
}
