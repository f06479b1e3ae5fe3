import { Injectable } from '@nestjs/common';
import { ContactsService } from '../../contacts/contacts.service.js';

const MAX_REFERENCE = 320;

/** Who the payload of a run is about. */
@Injectable()
export class PayloadContacts {
  constructor(private readonly contacts: ContactsService) {}

  /**
   * Id of the contact that the payload names by `contact_id` or `email`, if the organization knows it: senders may know
   * people that we do not.
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

/** Whom the payload names, whether there is such a contact or not: the address counts if there is none by the id. */
export function contactIn(payload: object): {
  contactId: string | null;
  contactEmail: string | null;
} {
  return {
    contactId: referenceOf(payload, 'contact_id') ?? null,
    contactEmail: referenceOf(payload, 'email')?.toLowerCase() ?? null,
  };
}

/** A member that can be looked up at all: PostgreSQL refuses U+0000, and UTF-8 lone surrogates. */
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
