// Creates the databases of the contestants on the PostgreSQL server of the bench.
import pg from 'pg';

/** Creates an empty database, or a copy of `template`. Drops an existing database with the same name. */
export async function makeDatabase(serverUrl, name, template) {
  await withClient(serverUrl, async (server) => {
    await server.query(`drop database if exists ${name} with (force)`);
    // Copying files is many times faster than the default, which goes through the WAL.
    const copied = template ? ` template ${template} strategy file_copy` : '';
    await server.query(`create database ${name}${copied}`);
  });
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Opens a connection. When it is lost, the next query fails but the process continues, so the bench can clean up. */
export async function connect(url) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export async function withClient(url, work) {
  const client = await connect(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
