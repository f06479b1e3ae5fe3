// npm run restore -- [--check] [--lost-secret-key] FILE
// Restores a backup into the empty database of DATABASE_URL, or of the embedded PostgreSQL in DATA_DIR. See
// docs/operations.md.
import { buildOrExit } from './build.mjs';

await buildOrExit(2);
const { restoreBackup } = await import('../dist/src/bootstrap/restore.js');
await restoreBackup();
