// npm run check:workflows [-- --json]
// Reports the workflows that a deployment of this build would break. Reads the database of DATABASE_URL, or the embedded
// one in DATA_DIR, and changes nothing there.
import { buildOrExit } from './build.mjs';

// Messages of the build go to stderr, because programs may parse the report on stdout.
console.log = console.error;
await buildOrExit(2);
const { checkWorkflows } = await import('../dist/src/bootstrap/check-workflows.js');
await checkWorkflows();
