import { createHmac } from 'node:crypto';

/** The number of signatures that are cached, one for each pair of organization and connection. */
const MOST_KEPT = 2000;

/** Signs which organization a transaction belongs to; PostgreSQL checks it in `current_organization()`. */
export class ContextSigner {
  private readonly kept = new Map<string, string>();

  constructor(private readonly key: Buffer) {}

  sign(organizationId: string, backendPid: number): string {
    const signed = `${organizationId}.${backendPid}`;
    const known = this.kept.get(signed);
    if (known !== undefined) return known;
    const mac = createHmac('sha256', this.key).update(signed);
    const context = `${organizationId}.${mac.digest('hex')}`;
    if (this.kept.size >= MOST_KEPT) this.kept.clear();
    this.kept.set(signed, context);
    return context;
  }
}
