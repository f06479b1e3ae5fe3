import { COMMAND_LINE_NAMES } from '../config/command-line-settings.js';
import { isApiKey } from '../keys/api-key-format.js';
import { CommandError } from './command-error.js';

/** Returns the API key of the environment. Throws a {@link CommandError} when it is absent or incomplete. */
export function assertKey(key: string | undefined): string {
  const { key: name } = COMMAND_LINE_NAMES;
  if (!key) {
    throw new CommandError(
      `${name} is not set. An owner makes a key in the dashboard, under Settings, or with POST /api/mcp/keys.`,
    );
  }
  if (!isApiKey(key)) {
    throw new CommandError(
      `${name} is not an API key: it is incomplete or has a typing error. A key is swb_ and 38 letters and digits.`,
    );
  }
  return key;
}
