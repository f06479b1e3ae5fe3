import { isSimilar, nearestNames } from '../text/nearest-names.js';
import { COMMAND_LINE_NAMES } from '../config/command-line-settings.js';
import { ENV_NAMES } from '../config/env-names.js';

const PREFIX = 'SWITCHBOARD_';
const SETTINGS: readonly string[] = Object.values(ENV_NAMES);
/** The settings of the command line, which are often in the environment of the same person. */
const OF_COMMAND_LINE: readonly string[] = Object.values(COMMAND_LINE_NAMES);

/**
 * Returns one warning for each name that is not a setting but looks like one. A name in the file `.env` gets a warning
 * even when it is less similar to a setting. Only Switchboard reads this file, but other programs use the environment
 * too.
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
