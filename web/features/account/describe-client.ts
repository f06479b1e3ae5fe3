/**
 * Names of browsers in a User-Agent. The first match of this list counts, because the User-Agent of most browsers also
 * has names that come later in the list.
 */
const BROWSERS = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chromium', /\bChromium\//],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
  ['curl', /^curl\//],
] as const;
const SYSTEMS = [
  ['iOS', /\b(?:iPhone|iPad)\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
] as const;
const MOST_CHARACTERS = 40;

/** The names of the browser and of the operating system. */
export interface ClientNames {
  browser: string;
  system?: string;
}

/**
 * Finds browser and system in a User-Agent, which clients choose freely. Returns the beginning of an unknown
 * User-Agent.
 */
export function describeClient(agent: string): ClientNames {
  const browser = BROWSERS.find(([, pattern]) => pattern.test(agent))?.[0];
  const system = SYSTEMS.find(([, pattern]) => pattern.test(agent))?.[0];
  return {
    browser: browser ?? agent.slice(0, MOST_CHARACTERS),
    ...(browser !== undefined && system !== undefined && { system }),
  };
}
