// The databases that contestants get on the PostgreSQL of the bench.
import pg from 'pg';

/** Makes an empty database, or a copy of another one, and returns its address. */
export async function makeDatabase(serverUrl, name, template) {
  await withClient(serverUrl, (server) =>
    server.query(
      // Copied as files: through the log, which is the default, takes many times as long.
      `create database ${name}${template ? ` template ${template} strategy file_copy` : ''}`,
    ),
  );
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** A connection whose loss fails the next query, and not the process: the bench must still clean up. */
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
