import 'reflect-metadata';
import { loadProcessEnv } from './load-process-env.js';
import { SecretBox } from '../database/secret-box.js';
import { sqlState } from '../database/database-error.js';
import { resealSecrets } from '../database/setup/reseal-secrets.js';
import { toError } from '../errors/app-error.js';
import { withOwner } from './owner-connection.js';

const UNDEFINED_TABLE = '42P01';

/**
 * Encrypts all stored secrets with SECRET_KEY. Secrets that were encrypted with OTHER_SECRET_KEY are first decrypted
 * with that key. The exit code is 1 when neither key decrypts a secret, and 2 when the command failed. The command can
 * be repeated.
 */
export async function rotateSecrets(): Promise<void> {
  try {
    const env = loadProcessEnv();
    await withOwner(env, async (client) => {
      const { rows } = await client.query<{ data_key: Buffer }>(
        'select data_key from private.installation',
      );
      if (!rows[0]) return;
      const box = new SecretBox(rows[0].data_key, env.secretKey, env.otherSecretKey);
      const { workflows, secrets, unreadable } = await resealSecrets(client, box);
      say(
        `The secrets of ${workflows} workflows and ${secrets} secrets of organizations were encrypted with SECRET_KEY.`,
      );
      if (unreadable.length === 0) {
        say(
          'All stored secrets are encrypted with it. Remove OTHER_SECRET_KEY from all processes, and restart them.',
        );
        return;
      }
      process.exitCode = 1;
      say(
        `Neither SECRET_KEY nor OTHER_SECRET_KEY opens the secrets of: ${unreadable.join(', ')}\n` +
          'Set OTHER_SECRET_KEY to the key that sealed them and run this again, or set these secrets again.',
      );
    });
  } catch (error) {
    // Switchboard never ran on this database.
    if (sqlState(error) === UNDEFINED_TABLE) return;
    process.stderr.write(
      `Secrets could not be encrypted again: ${toError(error).message}\nNothing is lost. Run this again.\n`,
    );
    process.exitCode = 2;
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
