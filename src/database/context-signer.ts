import { createHmac } from 'node:crypto';

/** Signs which organization a transaction belongs to; PostgreSQL checks it in `current_organization()`. */
export class ContextSigner {
  constructor(private readonly key: Buffer) {}

  sign(organizationId: string, backendPid: number): string {
    const mac = createHmac('sha256', this.key).update(`${organizationId}.${backendPid}`);
    return `${organizationId}.${mac.digest('hex')}`;
  }
}
