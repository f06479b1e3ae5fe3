import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { randomBase62 } from '../../text/ids.js';
import { composeEmail } from './compose-email.js';
import { type Delivery, type Email, EmailChannel } from './email-channel.js';

/** Writes e-mails as `.eml` files, one per message, for an installation without a mail server. */
export class FileEmailChannel extends EmailChannel {
  private readonly transport = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
  });

  constructor(
    private readonly folder: string,
    private readonly from: string,
  ) {
    super();
  }

  async deliver(email: Email, signal: AbortSignal): Promise<Delivery> {
    const composed = composeEmail(email, this.from);
    if (!composed) return { outcome: 'refused', reason: 'This is no plain e-mail address.' };
    const file = join(this.folder, `${email.id}.eml`);
    // A name of its own: after a lost lease two workers may be writing the same message.
    const draft = join(this.folder, `.${email.id}.${randomBase62(8)}`);
    try {
      const { message } = await this.transport.sendMail(composed);
      // Mail is nobody's business but that of the user whom the service runs as.
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await writeFile(draft, message as Buffer, { signal, flush: true, mode: 0o600 });
      // All or nothing: whoever watches the folder never sees half a message, and another attempt changes nothing.
      await rename(draft, file);
      return { outcome: 'sent' };
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined);
      const { code } = error as NodeJS.ErrnoException;
      return {
        outcome: 'failed',
        reason: `The file could not be written (${code ?? 'no reason'}).`,
      };
    }
  }

  close(): void {}
}
