import { createWriteStream } from 'node:fs';
import { lstat, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { randomBase62 } from '../text/ids.js';
import { type Delivery, type Email, EmailChannel, composeEmail } from './email-channel.js';
import { prepareEmail } from './email-content.js';

/** Matches the ids that cannot name a file outside of the folder. */
const FILE_NAME = /^[\w-]{1,100}$/;

/** Writes each e-mail to an `.eml` file, for installations without a mail server. Never replaces a file. */
export class FileEmailChannel extends EmailChannel {
  readonly writesFiles = true;

  constructor(
    private readonly folder: string,
    private readonly from: string,
  ) {
    super();
  }

  async deliver(email: Email, signal: AbortSignal): Promise<Delivery> {
    const composed = composeEmail(email, this.from);
    if (!composed)
      return {
        outcome: 'refused',
        reason: 'The address must be a plain e-mail address, such as ada@example.com.',
      };
    if (!FILE_NAME.test(email.id)) {
      return { outcome: 'refused', reason: 'The id of the message cannot be the name of a file.' };
    }
    const file = join(this.folder, `${email.id}.eml`);
    // The name is random because, after a lost lease, two workers may write the same message at the same time.
    const draft = join(this.folder, `.${email.id}.${randomBase62(8)}`);
    try {
      // The file exists if an earlier attempt wrote this e-mail, or if an earlier message had the same id.
      if (await exists(file)) return { outcome: 'sent' };
      const { open } = await prepareEmail({ ...composed, newline: 'windows' }, email, signal);
      // Only the user of this process may read e-mails.
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await pipeline(open(), createWriteStream(draft, { flush: true, mode: 0o600 }), { signal });
      // The rename is atomic, so a program that watches the folder never reads half a message.
      await rename(draft, file);
      return { outcome: 'sent' };
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined);
      const { code } = error as NodeJS.ErrnoException;
      return {
        outcome: 'failed',
        reason: `The e-mail could not be written to DATA_DIR/outbox (${code ?? 'no error code'}). Check this folder.`,
      };
    }
  }

  onApplicationShutdown(): void {}
}

async function exists(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
