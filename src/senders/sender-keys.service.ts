import { Injectable } from '@nestjs/common';
import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { SecretBox } from '../database/secret-box.js';
import { randomBase62 } from '../text/ids.js';
import { KeyQueue } from './key-queue.js';
import { SenderDomainsRepository } from './sender-domains.repository.js';

/**
 * The length of a key. RFC 8301 requires at least 1024 bits and recommends 2048. Many DNS services refuse the record of
 * a longer key.
 */
const KEY_BITS = 2048;

/**
 * A key with a selector that no other key of any organization has, because two organizations may send from one domain.
 */
export interface NewKey {
  readonly selector: string;
  readonly publicKey: string;
  readonly privateKey: string;
}

/** The key that signs e-mails of a domain. */
export interface SigningKey {
  readonly domain: string;
  readonly selector: string;
  /** The private key in PEM. */
  readonly privateKey: string;
}

/**
 * Makes the DKIM keys of sender domains, and finds the keys with which e-mails are signed. Private keys are stored
 * encrypted.
 */
@Injectable()
export class SenderKeysService {
  private readonly queue = new KeyQueue();

  constructor(
    private readonly domains: SenderDomainsRepository,
    private readonly box: SecretBox,
  ) {}

  /**
   * Makes a key. This takes a tenth of a second in another thread, so call it before you lock rows, and only for a key
   * that is needed. Throws `rate_limited` and `unavailable`.
   */
  async generate(organizationId: string): Promise<NewKey> {
    const { publicKey, privateKey } = await this.queue.run(organizationId, () =>
      promisify(generateKeyPair)('rsa', {
        modulusLength: KEY_BITS,
        publicKeyEncoding: { type: 'spki', format: 'der' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      }),
    );
    // DNS names are compared without case, so a selector has about 62 random bits.
    const selector = `sb${randomBase62(12).toLowerCase()}`;
    return { selector, publicKey: publicKey.toString('base64'), privateKey };
  }

  async store(
    organizationId: string,
    domainId: string,
    { selector, publicKey, privateKey }: NewKey,
  ): Promise<void> {
    const sealed = this.box.seal(privateKey, sealContext(organizationId, selector));
    await this.domains.insertKey(organizationId, { selector, domainId, publicKey, sealed });
  }

  open(
    organizationId: string,
    { domain, selector, sealed }: { domain: string; selector: string; sealed: Buffer },
  ): SigningKey {
    const privateKey = this.box.open(sealed, sealContext(organizationId, selector));
    return { domain, selector, privateKey };
  }
}

function sealContext(organizationId: string, selector: string): string {
  return `sender key ${organizationId} ${selector}`;
}
