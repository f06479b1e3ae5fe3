import { isSimilar, nearestNames } from '../text/nearest-names.js';
import { COMMAND_LINE_NAMES } from '../config/command-line-settings.js';
import { ENV_NAMES } from '../config/env-names.js';

const PREFIX = 'SWITCHBOARD_';
const SETTINGS: readonly string[] = Object.values(ENV_NAMES);
/**
 * The settings of the command `switchboard`. A person who uses the command and the service has both kinds of settings
 * in one environment.
 */
const OF_COMMAND_LINE: readonly string[] = Object.values(COMMAND_LINE_NAMES);

/**
 * Returns one warning for each name that is not a setting but looks like a setting. A name in the file `.env` may be
 * less similar to a setting than a name in the environment. Only Switchboard reads this file, but other programs use
 * the environment too.
 */
export function settingWarnings(
  inEnvironment: readonly string[],
  inFile: readonly string[],
): string[] {
  const inBoth = new Set([...inEnvironment, ...inFile]);
  return [...inBoth].flatMap((name) => {
    if (SETTINGS.includes(name) || OF_COMMAND_LINE.includes(name)) return [];
    const isPrefixed = name.startsWith(PREFIX);
    const [nearest] = nearestNames(isPrefixed ? name.slice(PREFIX.length) : name, SETTINGS);
    const isSuspect = isPrefixed || isMisspelled(name) || (nearest && inFile.includes(name));
    const hint = nearest ? ` Did you mean ${nearest}?` : '';
    return isSuspect ? [`Warning: ${name} is not a setting of Switchboard.${hint}`] : [];
  });
}

/**
 * Returns true for a name that is similar to a setting. Case, hyphens and underscores do not count. Short settings are
 * left out, because too many other names resemble them.
 */
function isMisspelled(name: string): boolean {
  const plain = withoutUnderscores(name);
  return SETTINGS.map(withoutUnderscores).some(
    (setting) => setting.length > 5 && isSimilar(plain, setting, setting.length > 9 ? 2 : 1),
  );
}

function withoutUnderscores(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}
