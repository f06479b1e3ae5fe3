// npm run audit:verify [-- FILE]
// Checks the chain of the audit log of every organization, and prints the end of each chain. With a file that has the
// output of an earlier run, also checks that the chains still contain those ends. Uses the owner of the database of
// DATABASE_URL, or of the embedded one in DATA_DIR. See docs/audit-log.md.
import { buildOrExit } from './build.mjs';

await buildOrExit(2);
const { verifyAuditLog } = await import('../dist/src/bootstrap/verify-audit-log.js');
const [file] = process.argv.slice(2);
await verifyAuditLog(file);
