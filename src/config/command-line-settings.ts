/** The names of the environment variables of the command line `switchboard`. The service itself does not read them. */
export const COMMAND_LINE_NAMES = { url: 'SWITCHBOARD_URL', key: 'SWITCHBOARD_KEY' } as const;

export interface CommandLineSettings {
  /** The address of the service. Empty or absent when no address is set. */
  readonly url?: string;
  readonly key?: string;
}

/**
 * Reads the address and the API key from the environment. The key has no option, because process lists show options.
 */
export function readCommandLineSettings(): CommandLineSettings {
  return {
    url: process.env[COMMAND_LINE_NAMES.url]?.trim(),
    key: process.env[COMMAND_LINE_NAMES.key]?.trim(),
  };
}
