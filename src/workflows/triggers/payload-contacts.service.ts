import { Injectable } from '@nestjs/common';
import { ContactsService } from '../../contacts/contacts.service.js';
import { normalizeEmail } from '../../text/parse-email.js';

const MAX_REFERENCE = 320;

@Injectable()
export class PayloadContactsService {
  constructor(private readonly contacts: ContactsService) {}

  /**
   * Returns the id of the contact that the payload names by `contact_id`, or else by `email`. Null means no contact.
   */
  async find(organizationId: string, payload: object): Promise<string | null> {
    const { contactId, contactEmail } = contactIn(payload);
    const byId = contactId === null ? null : await this.contacts.find(organizationId, contactId);
    if (byId) return byId.id;
    const byEmail =
      contactEmail === null ? null : await this.contacts.findByEmail(organizationId, contactEmail);
    return byEmail?.id ?? null;
  }
}

/** Reads the id and the normalized e-mail address that the payload names, without looking them up. */
export function contactIn(payload: object): {
  contactId: string | null;
  contactEmail: string | null;
} {
  const email = referenceOf(payload, 'email');
  return {
    contactId: referenceOf(payload, 'contact_id') ?? null,
    contactEmail: email === undefined ? null : normalizeEmail(email),
  };
}

/**
 * Returns a member of the payload if it is a usable text. Text with U+0000 or lone surrogates is not usable: PostgreSQL
 * would refuse it, and the webhook would fail.
 */
function referenceOf(payload: object, name: string): string | undefined {
  const value: unknown = Object.hasOwn(payload, name)
    ? (payload as Record<string, unknown>)[name]
    : undefined;
  const isUsable =
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= MAX_REFERENCE &&
    !value.includes('\0') &&
    value.isWellFormed();
  return isUsable ? value : undefined;
}
