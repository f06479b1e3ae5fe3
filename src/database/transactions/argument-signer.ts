import { createHmac } from 'node:crypto';

/** The action that a signature allows. The database function for this action checks the signature. */
export type SignedPurpose =
  'audit entries' | 'audit retention' | 'contact merge' | 'message deletion' | 'sender domain';

/**
 * Signs arguments of functions that the tenant role may call. Calls from SQL of a tool fail, because the tool has no
 * signature. PostgreSQL checks the signature in `private.is_signed()`.
 */
export class ArgumentSigner {
  constructor(private readonly key: Buffer) {}

  /** Returns the signature in hexadecimal. */
  sign(purpose: SignedPurpose, text: string): string {
    return createHmac('sha256', this.key).update(`${purpose}:${text}`).digest('hex');
  }
}
