import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Packs the checkout, which must have been built, into `folder`. Returns the path of the file. */
export function pack(folder) {
  // Without --ignore-scripts, npm would build a second time.
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' }));
  return join(folder, basename(filename));
}

/**
 * Installs the packed Switchboard into a module. All other packages are links to the packages of this checkout, so
 * nothing is downloaded and no package exists twice.
 */
export function installLinked(project, tarball) {
  const modules = join(project, 'node_modules');
  const target = join(modules, 'switchboard');
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
  for (const dependency of packages(join(root, 'node_modules'))) {
    mkdirSync(dirname(join(modules, dependency)), { recursive: true });
    symlinkSync(join(root, 'node_modules', dependency), join(modules, dependency), 'dir');
  }
}

/** Lists the packages in a node_modules folder, with their scopes. */
function packages(modules) {
  return readdirSync(modules)
    .filter((entry) => !entry.startsWith('.'))
    .flatMap((entry) =>
      entry.startsWith('@')
        ? readdirSync(join(modules, entry)).map((name) => `${entry}/${name}`)
        : [entry],
    );
}
