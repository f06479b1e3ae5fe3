import { createHmac } from 'node:crypto';

/** The largest number of cached signatures, one for each pair of organization and connection. */
const MOST_KEPT = 2000;

/**
 * Signs the organization of a transaction. The SQL function `open_context()` checks the signature and binds the
 * transaction to the organization. Row-level security then gets the organization from `current_organization()`.
 */
export class ContextSigner {
  private readonly kept = new Map<string, string>();

  constructor(private readonly key: Buffer) {}

  /** Returns the signature for one backend, in hexadecimal. */
  sign(organizationId: string, backendPid: number): string {
    const signed = `${organizationId}.${backendPid}`;
    const known = this.kept.get(signed);
    if (known !== undefined) return known;
    const signature = createHmac('sha256', this.key).update(signed).digest('hex');
    if (this.kept.size >= MOST_KEPT) this.kept.clear();
    this.kept.set(signed, signature);
    return signature;
  }
}
