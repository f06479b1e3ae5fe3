import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/** A role that owns databases and may create roles, but is not a superuser, as on hosted PostgreSQL. */
export interface DatabaseOwner {
  /** Creates an empty database of this role, and returns its URL. */
  createDatabase(): Promise<string>;
  /** Runs SQL in a database as a superuser, who bypasses row-level security. */
  ask<Row extends object>(url: string, sql: string, values?: unknown[]): Promise<Row[]>;
  /** Drops the databases of the role, the roles that the role created, and the role itself. */
  drop(): Promise<void>;
}

export async function createDatabaseOwner(): Promise<DatabaseOwner> {
  const template = new URL(process.env.TEST_TEMPLATE_URL!);
  // The name begins with the name of the template. So the check after all tests finds a database that a test has left
  // behind.
  const name = `${template.pathname.slice(1)}_o${randomBytes(4).toString('hex')}`;
  const databases: string[] = [];
  const administrator = new Client({ connectionString: template.href });
  await administrator.connect();
  await administrator.query(`create role ${name} login createrole password 'test'`);
  return {
    createDatabase: async () => {
      const database = `${name}_${databases.length}`;
      await administrator.query(`create database ${database} template template0`);
      await administrator.query(`alter database ${database} owner to ${name}`);
      databases.push(database);
      const url = { username: name, password: 'test', pathname: `/${database}` };
      return Object.assign(new URL(template), url).href;
    },
    ask: async <Row extends object>(url: string, sql: string, values?: unknown[]) => {
      const { pathname } = new URL(url);
      const client = new Client({
        connectionString: Object.assign(new URL(template), { pathname }).href,
      });
      await client.connect();
      try {
        return (await client.query<Row>(sql, values)).rows;
      } finally {
        await client.end();
      }
    },
    drop: async () => {
      for (const database of databases) {
        await administrator.query(`drop database ${database} with (force)`);
      }
      const { rows } = await administrator.query<{ role: string }>(
        `select roleid::regrole::text as role from pg_auth_members where member = $1::regrole`,
        [name],
      );
      for (const { role } of rows) await administrator.query(`drop role ${role}`);
      await administrator.query(`drop role ${name}`);
      await administrator.end();
    },
  };
}
