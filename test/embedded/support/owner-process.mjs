// Starts or shares an embedded PostgreSQL, as a process that tests can kill or stop.
// Arguments: compiled module, data directory. A line on standard input stops the database and ends the process.
const [, , modulePath, dataDir] = process.argv;
const { EmbeddedPostgres } = await import(modulePath);
try {
  const database = await EmbeddedPostgres.start({ dataDir, settings: { fsync: 'off' } });
  const { url, firstStart, isOwner, pid } = database;
  console.log(JSON.stringify({ url, firstStart, isOwner, pid }));
  process.stdin.once('data', async () => {
    await database.stop();
    process.exit(0);
  });
} catch (error) {
  console.log(JSON.stringify({ error: `${error.name}: ${error.message}` }));
  process.exit(1);
}
