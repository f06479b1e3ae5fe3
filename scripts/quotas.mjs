// npm run quotas -- [ORGANIZATION_ID | default] [NAME VALUE]
// Shows or sets the quotas of organizations, in the database of DATABASE_URL, or the embedded one in DATA_DIR.
// See docs/limits.md.
import { build, BuildError } from './build.mjs';

try {
  await build();
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  process.exit(2);
}
const { runQuotas } = await import('../dist/src/bootstrap/quotas.js');
await runQuotas(process.argv.slice(2));
