// node scripts/run-check.mjs PROGRAM [arguments]
// Runs the linter or the formatter of `checks/`, which are installed when they are missing.
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { installPackage } from './install-package.mjs';

const root = join(import.meta.dirname, '..');
const checks = join(root, 'checks');
const [program, ...args] = process.argv.slice(2);
installPackage(checks);
const programs = join(checks, 'node_modules/.bin');
const { status } = spawnSync(program, args, {
  cwd: root,
  stdio: 'inherit',
  shell: process.platform === 'win32',
  // The linter looks on the PATH for its second program, which checks the rules that need types.
  env: { ...process.env, PATH: `${programs}${delimiter}${process.env.PATH}` },
});
process.exitCode = status ?? 1;
