// node scripts/install-package.mjs FOLDER
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Installs the packages of a folder that has its own package.json, unless they were already installed from the same
 * lock file. Throws when the installation fails.
 */
export function installPackage(folder) {
  const lock = join(folder, 'package-lock.json');
  const installed = join(folder, 'node_modules', '.installed-lock.json');
  if (existsSync(installed) && readFileSync(installed).equals(readFileSync(lock))) return;
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts'], {
    cwd: folder,
    stdio: ['ignore', process.stderr, process.stderr],
  });
  if (status !== 0)
    throw new Error(
      `The packages of ${folder} could not be installed. See the errors of npm above.`,
    );
  writeFileSync(installed, readFileSync(lock));
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  installPackage(process.argv[2]);
