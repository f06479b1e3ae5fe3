import { Injectable } from '@nestjs/common';
import { ContactMatchesRepository, type ContactPart } from './contact-matches.repository.js';
import type { Contact } from './contact.entity.js';
import type { FilterNode } from './filter-fields.js';

/** Compares many contacts with conditions. Every method needs a transaction of the organization. */
@Injectable()
export class ContactMatchesService {
  constructor(private readonly matches: ContactMatchesRepository) {}

  /** Returns the ids of the contacts of a part that match every condition. */
  list(
    organizationId: string,
    filters: readonly FilterNode[],
    part: ContactPart,
  ): Promise<string[]> {
    return this.matches.list(organizationId, filters, part);
  }

  /** Returns the id of the last contact of a part of `size` contacts, or null when fewer contacts are left. */
  endOfPart(organizationId: string, after: string, size: number): Promise<string | null> {
    return this.matches.endOfPart(organizationId, after, size);
  }

  /** Returns the contacts with these ids in any order. Those that do not exist are missing. */
  findAll(organizationId: string, ids: readonly string[]): Promise<Contact[]> {
    return this.matches.findAll(organizationId, ids);
  }
}
