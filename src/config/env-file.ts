import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { type Env, EnvError, loadEnv } from './env.js';
import { settingWarnings } from './unknown-settings.js';

/**
 * Reads the settings of this process: its environment and the file `.env` of its folder, which is that of `package.json`
 * in an npm script. The environment wins. Prints a warning for each name that looks like a misspelled setting. Throws an {@link EnvError} when the file cannot be read or a setting is wrong.
 *
 * With `NODE_ENV=test` the file is not read, so that tests do not reach the database of a developer.
 */
export function loadProcessEnv(): Env {
  const isTest = process.env.NODE_ENV === 'test';
  const file = isTest ? {} : readEnvFile(resolve('.env'));
  const warnings = isTest ? [] : settingWarnings(Object.keys(process.env), Object.keys(file));
  for (const warning of warnings) process.stderr.write(`${warning}\n`);
  for (const [name, value] of Object.entries(file)) process.env[name] ??= value;
  return loadEnv(process.env);
}

function readEnvFile(path: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    throw new EnvError(`The settings file ${path} cannot be read (${code}).`, { cause: error });
  }
}
