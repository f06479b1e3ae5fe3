// npm run check:workflows [-- --json]
// Reports the workflows that a deployment of this build would break. Reads the database of DATABASE_URL, or the embedded
// one in DATA_DIR, and changes nothing there.
import { build, BuildError } from './build.mjs';

// Messages of the build go to stderr, because programs may parse the report on stdout.
console.log = console.error;
try {
  await build();
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  process.exit(2);
}
const { checkWorkflows } = await import('../dist/src/bootstrap/check-workflows.js');
await checkWorkflows();
