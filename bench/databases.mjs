// Creates the databases of the contestants on the PostgreSQL server of the bench.
import pg from 'pg';

/** Creates an empty database, or a copy of another one, and returns its address. */
export async function makeDatabase(serverUrl, name, template) {
  await withClient(serverUrl, (server) =>
    server.query(
      // Copying files is many times faster than the default, which goes through the WAL.
      `create database ${name}${template ? ` template ${template} strategy file_copy` : ''}`,
    ),
  );
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Opens a connection whose loss fails the next query instead of the process, so that the bench can clean up. */
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
