import { validateSync } from 'class-validator';
import { ENV_NAMES, type EnvKey } from './env-names.js';
import { Env } from './env.js';
import { formatFaults } from './format-faults.js';
import { withoutSlashes } from './hosts.js';

/**
 * Reports a wrong configuration. The message names every wrong setting and the rule for its value, but contains no
 * value.
 */
export class EnvError extends Error {
  override readonly name = 'EnvError';
}

/**
 * Reads and validates the settings. An empty variable counts as absent. Throws one {@link EnvError} with all faults.
 */
export function loadEnv(source: Record<string, string | undefined> = process.env): Env {
  const values: Partial<Record<EnvKey, unknown>> = {};
  const defaults = new Env({});
  for (const [key, name] of Object.entries(
    ENV_NAMES satisfies Partial<Record<keyof Env, string>>,
  ) as [EnvKey, string][]) {
    const raw = source[name]?.trim();
    if (!raw) continue;
    // Number() would also accept '0x10' and '1e3', which are probably typing errors.
    const isNumber = typeof defaults[key] === 'number' && /^\d{1,9}$/.test(raw);
    values[key] = isNumber ? Number(raw) : raw;
  }
  if (typeof values.publicUrl === 'string') values.publicUrl = withoutSlashes(values.publicUrl);
  const env = new Env(values);
  const faults = validateSync(env, { skipMissingProperties: false }).map(
    (fault) =>
      `${ENV_NAMES[fault.property as EnvKey]}: ${Object.values(fault.constraints ?? {})
        .map((text) => text.replace(fault.property, 'it'))
        .join('; ')}`,
  );
  faults.push(...formatFaults(env, faults));
  if (faults.length > 0) {
    throw new EnvError(
      `The configuration is wrong:\n${faults.map((fault) => `  ${fault}`).join('\n')}\nSee .env.example for every setting.`,
    );
  }
  return Object.freeze(env);
}
