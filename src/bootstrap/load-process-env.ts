import type { Env } from '../config/env.js';
import { loadEnv } from '../config/load-env.js';
import { addEnvFile } from '../config/env-file.js';
import { settingWarnings } from './unknown-settings.js';

/**
 * Reads the settings of this process from its environment and its file `.env`. Prints a warning for each name that looks
 * like a misspelled setting. Throws an `EnvError` when a setting is wrong or the file cannot be read.
 */
export function loadProcessEnv(): Env {
  const { inEnvironment, inFile } = addEnvFile();
  for (const warning of settingWarnings(inEnvironment, inFile)) {
    process.stderr.write(`${warning}\n`);
  }
  return loadEnv();
}
