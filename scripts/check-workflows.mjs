// Says which workflows a deploy of this build would break: `npm run check:workflows`, for programs with `-- --json`.
// Looks at the database of DATABASE_URL, or at the embedded one in DATA_DIR, and changes nothing there.
import { build, BuildError } from './build.mjs';

// What the build says is no part of the report, which may be read by a program.
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
