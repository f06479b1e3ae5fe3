import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The value of OTHER_SECRET_KEY that means the random key in the database, which is used without SECRET_KEY. */
const DATABASE_KEY = 'database';

interface Key {
  readonly bytes: Buffer;
  /**
   * The id of the key. Each sealed secret contains the id of its key. By this id, `open` chooses the right key, or
   * reports that the key is missing.
   */
  readonly id: Buffer;
}

/**
 * Encrypts secrets that must be readable later, such as those of webhooks (AES-256-GCM, NIST SP 800-38D). `seal`
 * encrypts with the current key. While the installation changes its key, `open` also decrypts secrets that were
 * encrypted with the next or the previous key.
 */
export class SecretBox {
  private readonly current: Key;
  private readonly other?: Key;

  constructor(installationKey: Buffer, secretKey?: string, otherSecretKey?: string) {
    this.current = keyOf(installationKey, secretKey);
    if (otherSecretKey === undefined) return;
    const isDatabase = otherSecretKey === DATABASE_KEY;
    this.other = keyOf(installationKey, isDatabase ? undefined : otherSecretKey);
  }

  /** Returns a secret for another purpose. The returned secret does not reveal the key of this box. */
  derive(purpose: string): string {
    return derived(this.current, purpose);
  }

  /**
   * Returns the result of {@link derive} for each key, the current one first. So a signature that either key made can
   * be checked.
   */
  deriveAll(purpose: string): [string, ...string[]] {
    return [this.derive(purpose), ...(this.other ? [derived(this.other, purpose)] : [])];
  }

  /** Encrypts a secret. `context` identifies the object that the secret belongs to. `open` needs the same context. */
  seal(plain: string, context: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.current.bytes, iv).setAAD(
      Buffer.from(context),
    );
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([this.current.id, iv, cipher.getAuthTag(), sealed]);
  }

  /** Decrypts a secret. Throws when the value was sealed with an unknown key or for another context, or was changed. */
  open(sealed: Buffer, context: string): string {
    const key = [this.current, this.other].find((one) => one?.id.equals(idIn(sealed)));
    if (!key) {
      throw new Error(
        'A stored secret was sealed with another SECRET_KEY. Set SECRET_KEY or OTHER_SECRET_KEY to its earlier value.',
      );
    }
    const iv = sealed.subarray(ID_BYTES, ID_BYTES + IV_BYTES);
    const tag = sealed.subarray(ID_BYTES + IV_BYTES, ID_BYTES + IV_BYTES + TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', key.bytes, iv, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(context))
      .setAuthTag(tag);
    const body = sealed.subarray(ID_BYTES + IV_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
  }

  /**
   * Opens a sealed value and seals the secret with the current key. Returns the value unchanged if it was sealed with
   * the current key already. Throws as {@link open} does.
   */
  reseal(sealed: Buffer, context: string): Buffer {
    if (this.current.id.equals(idIn(sealed))) return sealed;
    return this.seal(this.open(sealed, context), context);
  }

  /**
   * Returns true when a key of this box has this id, which is hexadecimal. This key opens the sealed values that begin
   * with the bytes of the id.
   */
  opens(id: string): boolean {
    return this.ids.includes(id);
  }

  /** The ids of the keys of this box, in hexadecimal. */
  get ids(): string[] {
    return [this.current, this.other].flatMap((key) => key?.id.toString('hex') ?? []);
  }

  /** The id of the current key. Every value that was sealed with this key begins with these bytes. */
  get currentId(): Buffer {
    return this.current.id;
  }
}

function keyOf(installationKey: Buffer, secretKey = installationKey as Buffer | string): Key {
  const bytes = Buffer.from(
    hkdfSync('sha256', secretKey, installationKey, 'switchboard secrets', 32),
  );
  return { bytes, id: createHash('sha256').update(bytes).digest().subarray(0, ID_BYTES) };
}

function derived({ bytes }: Key, purpose: string): string {
  return Buffer.from(hkdfSync('sha256', bytes, '', purpose, 32)).toString('base64url');
}

function idIn(sealed: Buffer): Buffer {
  return sealed.subarray(0, ID_BYTES);
}
