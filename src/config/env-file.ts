import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { EnvError } from './load-env.js';

/** The names of all environment variables of the process, and the names of the variables in its file `.env`. */
export interface VariableNames {
  inEnvironment: string[];
  inFile: string[];
}

/**
 * Adds the variables of the file `.env` to the environment of this process. It does not change variables that the
 * environment has already. The file is in the working directory of the process, which npm scripts set to the folder of
 * `package.json`. Throws an {@link EnvError} when the file cannot be read.
 *
 * With `NODE_ENV=test` the file is not read, so that tests do not reach the database of a developer.
 */
export function addEnvFile(): VariableNames {
  if (process.env.NODE_ENV === 'test') return { inEnvironment: [], inFile: [] };
  const inEnvironment = Object.keys(process.env);
  const file = readVariables(resolve('.env'));
  for (const [name, value] of Object.entries(file)) process.env[name] ??= value;
  return { inEnvironment, inFile: Object.keys(file) };
}

function readVariables(path: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    const cure = 'Let this user read it, or remove it.';
    throw new EnvError(`The settings file ${path} cannot be read (${code}). ${cure}`, {
      cause: error,
    });
  }
}
