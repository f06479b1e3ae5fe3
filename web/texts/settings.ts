/** Reads a setting of this browser. Returns undefined when the setting is absent or storage is blocked. */
export function readSetting(name: string): string | undefined {
  try {
    return localStorage.getItem(`switchboard.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a setting in this browser. Does nothing when storage is blocked or full. */
export function writeSetting(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(`switchboard.${name}`);
    else localStorage.setItem(`switchboard.${name}`, value);
  } catch {
    // Storage is blocked or full. The setting is kept until the page is closed.
  }
}
