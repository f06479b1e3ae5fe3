// npm run quotas -- [ORGANIZATION_ID | default] [NAME VALUE]
// Shows or sets the quotas of organizations, in the database of DATABASE_URL, or the embedded one in DATA_DIR.
// See docs/limits.md.
import { buildOrExit } from './build.mjs';

await buildOrExit(2);
const { runQuotas } = await import('../dist/src/bootstrap/quotas.js');
await runQuotas(process.argv.slice(2));
