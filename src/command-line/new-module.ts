import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The script of `npm run new`, in the checkout and in the package. */
const SCRIPT = fileURLToPath(new URL('../../../scripts/new-module.mjs', import.meta.url));

/**
 * Creates the package of a module with the script, which checks the arguments. Returns the exit code of the
 * script.
 */
export async function createModule(given: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [SCRIPT, ...given], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
