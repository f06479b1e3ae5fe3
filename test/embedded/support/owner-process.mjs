// Starts or shares an embedded PostgreSQL, as a process that tests can kill or stop.
// Arguments: compiled module, data directory, value of `fsync`. A line on standard input stops the database and ends the
// process.
const [, , modulePath, dataDir, fsync] = process.argv;
const lines = [];
const { EmbeddedPostgres } = await import(modulePath);
try {
  const database = await EmbeddedPostgres.start({
    dataDir,
    settings: { fsync },
    log: (line) => lines.push(line),
  });
  const { url, firstStart, isOwner, pid } = database;
  console.log(JSON.stringify({ url, firstStart, isOwner, pid, lines }));
  process.stdin.once('data', async () => {
    await database.stop();
    process.exit(0);
  });
} catch (error) {
  console.log(JSON.stringify({ error: `${error.name}: ${error.message}` }));
  process.exit(1);
}
