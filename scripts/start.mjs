// This file uses only syntax and modules of old Node versions, so that they print the message below
// instead of a syntax error.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const MINIMUM = [20, 19];

const version = process.versions.node.split('.').map(Number);
if (version[0] < MINIMUM[0] || (version[0] === MINIMUM[0] && version[1] < MINIMUM[1])) {
  fail(
    `Switchboard needs Node ${MINIMUM.join('.')} or newer. This is Node ${process.versions.node}.`,
  );
}

const require = createRequire(import.meta.url);
const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url)));
const missing = Object.keys(dependencies).filter(
  (name) => !require.resolve.paths(name).some((folder) => existsSync(join(folder, name))),
);
if (missing.length > 0) {
  fail(
    missing.length === Object.keys(dependencies).length
      ? 'The packages that Switchboard needs are not installed. Run "npm ci" first.'
      : `Some packages are not installed (${missing.join(', ')}). Run "npm ci" first.`,
  );
}

const { build, BuildError } = await import('./build.mjs');
try {
  await build();
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  fail(error.message);
}
await import('../dist/service/main.js');

function fail(message) {
  console.error(message);
  process.exit(1);
}
