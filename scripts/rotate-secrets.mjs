// npm run secrets:rotate
// Encrypts all stored secrets with SECRET_KEY. OTHER_SECRET_KEY has the key that encrypted them before, or `database`.
// Uses the database of DATABASE_URL, or the embedded one in DATA_DIR. See docs/configuration.md.
import { build, BuildError } from './build.mjs';

try {
  await build();
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  process.exit(2);
}
const { rotateSecrets } = await import('../dist/src/bootstrap/rotate-secrets.js');
await rotateSecrets();
