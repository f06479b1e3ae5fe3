import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SUITE = join(import.meta.dirname, 'suite');

/**
 * Installs the packages of the suite folder when they are missing or outdated. These packages are separate from the
 * packages of Switchboard, because there are many of them and they need Node 22.
 */
export function setup() {
  const installed = join(SUITE, 'node_modules/.package-lock.json');
  const lock = join(SUITE, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  console.log('Installing the conformance suite and the Inspector ...');
  // Suppresses warnings about the Node version, because Node 22 is one of the packages.
  const { status } = spawnSync('npm', ['ci', '--loglevel=error'], { cwd: SUITE, stdio: 'inherit' });
  if (status !== 0)
    throw new Error('The packages in test/conformance/suite could not be installed.');
}
