// npm run backup -- FILE
// Writes a backup of the database of DATABASE_URL, or of the embedded one in DATA_DIR, while Switchboard works. The file
// has secrets: only its owner can read it. See docs/operations.md.
import { buildOrExit } from './build.mjs';

await buildOrExit(2);
const { makeBackup } = await import('../dist/src/bootstrap/backup.js');
await makeBackup();
