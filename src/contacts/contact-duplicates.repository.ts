import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { DuplicateReason } from './duplicate-reasons.js';

/**
 * For each reason, the SQL of the value that two contacts share. It reads the contact `c`, and is null for a contact
 * without such a value.
 */
const KEYS = {
  similar_email: similarEmail('c.email'),
  same_name: `case when c.first_name is not null and c.last_name is not null
    then split_part(c.search_text, $6, 1) end`,
  same_external_id: `lower(c.external_id collate "C")`,
} satisfies Record<DuplicateReason, string>;

/** Two contacts that may be one person. `contactId` is the older one. */
export interface DuplicatePair {
  reason: DuplicateReason;
  key: string;
  contactId: string;
  otherId: string;
  /** The name of the older contact, or else one of its identifiers. */
  name: string | null;
  otherName: string | null;
  /** The e-mail address, or else the phone number or external id, of the older contact. */
  address: string | null;
  otherAddress: string | null;
}

@Injectable()
export class ContactDuplicatesRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /**
   * Returns at most `limit` pairs of one reason after `position`, in the order of their keys. A key is the value that
   * the contacts share. Each contact is paired only with the oldest contact that has the same key. So the query takes
   * about as long as sorting the contacts, even when thousands of contacts share a key.
   */
  async list(
    organizationId: string,
    reason: DuplicateReason,
    position: { key: string; otherId: string } | undefined,
    limit: number,
  ): Promise<DuplicatePair[]> {
    const aliases =
      reason === 'similar_email'
        ? `union all
           select a.contact_id, c.created_at, ${similarEmail('a.value')} from contact_aliases a
           join contacts c on c.organization_id = a.organization_id and c.id = a.contact_id
           where a.organization_id = $1 and a.kind = 'email'`
        : '';
    return await this.tenants.session(organizationId).query<DuplicatePair>(
      `with keyed as (
         select c.id, c.created_at, ${KEYS[reason]} as key from contacts c where c.organization_id = $1
         ${aliases}
       ), grouped as (
         select distinct k.id, k.key collate "C" as key,
           first_value(k.id) over (partition by k.key collate "C" order by k.created_at, k.id) as first_id
         from keyed k where k.key is not null
       ), pairs as (
         select g.key, g.first_id, g.id from grouped g
         where g.id <> g.first_id and (g.key, g.id) > ($2::text, $3::text)
         order by g.key, g.id limit $4
       )
       select $5::text as reason, p.key, p.first_id as "contactId", p.id as "otherId",
         ${shownName('f')} as name, ${shownName('o')} as "otherName",
         ${shownAddress('f')} as address, ${shownAddress('o')} as "otherAddress"
       from pairs p
       join contacts f on f.organization_id = $1 and f.id = p.first_id
       join contacts o on o.organization_id = $1 and o.id = p.id
       where $6::text is not null
       order by p.key, p.id`,
      [organizationId, position?.key ?? '', position?.otherId ?? '', limit, reason, '\n'],
    );
  }
}

/**
 * Leaves out the parts of an address that many mail services ignore: dots, a tag after a plus sign, and the difference
 * between gmail.com and googlemail.com.
 */
function similarEmail(column: string): string {
  return `replace(split_part(split_part(${column}, '@', 1), '+', 1), '.', '') || '@' ||
    case split_part(${column}, '@', 2) when 'googlemail.com' then 'gmail.com' else split_part(${column}, '@', 2) end`;
}

/** Returns the name of a contact, or else its e-mail address, phone number or external id. */
function shownName(contact: string): string {
  return `coalesce(nullif(trim(concat_ws(' ', ${contact}.first_name, ${contact}.last_name)), ''),
    ${shownAddress(contact)})`;
}

function shownAddress(contact: string): string {
  return `coalesce(${contact}.email, ${contact}.phone, ${contact}.external_id)`;
}
