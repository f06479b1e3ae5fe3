import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * The headless shell comes first: it has no window, and a window takes a third of the processor time of these tests.
 */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

/** Returns the path of an installed Chromium: CHROMIUM_PATH, or the first one on the PATH. */
export function findChromium(): string | undefined {
  const { CHROMIUM_PATH: chosen, PATH = '' } = process.env;
  if (chosen) return chosen;
  return PATH.split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((file) => existsSync(file));
}
