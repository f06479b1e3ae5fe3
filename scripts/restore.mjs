// npm run restore -- [--check] [--lost-secret-key] FILE
// Restores a backup into the empty database of DATABASE_URL, or of the embedded PostgreSQL in DATA_DIR. See
// docs/operations.md.
import { build, BuildError } from './build.mjs';

try {
  await build();
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  process.exit(2);
}
const { restoreBackup } = await import('../dist/src/bootstrap/restore.js');
await restoreBackup();
