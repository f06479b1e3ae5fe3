// npm run secrets:rotate
// Encrypts all stored secrets with SECRET_KEY. OTHER_SECRET_KEY has the previous key of the secrets, or `database`.
// Uses the database of DATABASE_URL, or the embedded one in DATA_DIR. See docs/configuration.md.
import { buildOrExit } from './build.mjs';

await buildOrExit(2);
const { rotateSecrets } = await import('../dist/src/bootstrap/rotate-secrets.js');
await rotateSecrets();
