import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts secrets that must be readable later, such as those of webhooks (AES-256-GCM, NIST SP 800-38D). */
export class SecretBox {
  private readonly key: Buffer;
  /** Identifies the key that sealed a value, so that a changed `SECRET_KEY` gets a clear error. */
  private readonly keyId: Buffer;

  constructor(installationKey: Buffer, secretKey?: string) {
    this.key = Buffer.from(
      hkdfSync('sha256', secretKey ?? installationKey, installationKey, 'switchboard secrets', 32),
    );
    this.keyId = createHash('sha256').update(this.key).digest().subarray(0, 4);
  }

  /** Returns a secret for another purpose. It does not reveal the key of this box. */
  derive(purpose: string): string {
    return Buffer.from(hkdfSync('sha256', this.key, '', purpose, 32)).toString('base64url');
  }

  /** Encrypts a secret. `context` says what it belongs to. `open` needs the same context. */
  seal(plain: string, context: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([this.keyId, iv, cipher.getAuthTag(), sealed]);
  }

  /** Throws when the value was sealed with another key, for another context, or was changed. */
  open(sealed: Buffer, context: string): string {
    if (!sealed.subarray(0, 4).equals(this.keyId)) {
      throw new Error(
        'A stored secret was sealed with another SECRET_KEY. Set SECRET_KEY to its earlier value.',
      );
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
