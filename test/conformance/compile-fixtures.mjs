import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Compiles the fixtures against the built package, as teams compile their modules. Returns the URL of the module. */
export function compileFixtures() {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const project = join(import.meta.dirname, 'fixtures');
  execFileSync(process.execPath, [tsc, '-p', project], { stdio: 'inherit' });
  return pathToFileURL(join(import.meta.dirname, 'dist/conformance.module.js')).href;
}
