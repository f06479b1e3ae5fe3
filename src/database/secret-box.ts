import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts the secrets that must be readable again, such as those of webhooks (AES-256-GCM, NIST SP 800-38D). */
export class SecretBox {
  private readonly key: Buffer;
  /** Tells with which key a value was sealed, so that a changed `SECRET_KEY` is recognized as what it is. */
  private readonly keyId: Buffer;

  constructor(installationKey: Buffer, secretKey?: string) {
    this.key = Buffer.from(
      hkdfSync('sha256', secretKey ?? installationKey, installationKey, 'switchboard secrets', 32),
    );
    this.keyId = createHash('sha256').update(this.key).digest().subarray(0, 4);
  }

  /** A secret of its own for another purpose: knowing it tells nothing about this key. */
  derive(purpose: string): string {
    return Buffer.from(hkdfSync('sha256', this.key, '', purpose, 32)).toString('base64url');
  }

  /** `context` says what the secret belongs to; the same context must be given to open it. */
  seal(plain: string, context: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([this.keyId, iv, cipher.getAuthTag(), sealed]);
  }

  /** Throws when the value was sealed with another key, for another context, or was changed. */
  open(sealed: Buffer, context: string): string {
    if (!sealed.subarray(0, 4).equals(this.keyId)) {
      throw new Error('A stored secret was sealed with another SECRET_KEY.');
    }
    const iv = sealed.subarray(4, 4 + IV_BYTES);
    const tag = sealed.subarray(4 + IV_BYTES, 4 + IV_BYTES + TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.key, iv, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(context))
      .setAuthTag(tag);
    const body = sealed.subarray(4 + IV_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
  }
}
