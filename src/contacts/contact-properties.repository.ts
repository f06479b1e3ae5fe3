import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { ContactProperty } from './contact-property.entity.js';
import type { PropertyRule, PropertyType, PropertyValue } from './property-type.js';

/** A value that a contact has, and that does not fit a rule of its property. */
export interface UnfitValue {
  contactId: string;
  value: PropertyValue;
}

/** The condition under which a value fits its type. `j` is the value as jsonb, and $3 has the options. */
const FITS: Record<PropertyType, string> = {
  text: `jsonb_typeof(v.j) = 'string'`,
  number: `jsonb_typeof(v.j) = 'number'`,
  boolean: `jsonb_typeof(v.j) = 'boolean'`,
  date: `jsonb_typeof(v.j) = 'string' and v.j #>> '{}' ~ $6
    and (v.j #>> '{}' !~ $7 or v.j #>> '{}' ~ $8)`,
  enum: `jsonb_typeof(v.j) = 'string' and v.j #>> '{}' = any($3::text[])`,
  list: `jsonb_typeof(v.j) = 'array'`,
};

/** Matches dates whose day exists in their month. Accepts 29 February of every year. */
const DAY =
  '^[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-9]))$';
const LEAP_DAY = '-02-29$';
const IN_LEAP_YEAR = '^([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-';

/** Reads and writes the declared properties of contacts. */
@Injectable()
export class ContactPropertiesRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Returns the properties in the order of their names. */
  async list(organizationId: string): Promise<ContactProperty[]> {
    return await this.tenants
      .repository(organizationId, ContactProperty)
      .find({ where: { organizationId }, order: { name: 'ASC' } });
  }

  async find(organizationId: string, name: string): Promise<ContactProperty | null> {
    return await this.tenants
      .repository(organizationId, ContactProperty)
      .findOneBy({ organizationId, name });
  }

  async save(organizationId: string, name: string, { type, options }: PropertyRule): Promise<void> {
    await this.tenants.session(organizationId).query(
      `insert into contact_properties (organization_id, name, type, options) values ($1, $2, $3, $4)
       on conflict on constraint contact_properties_pkey do update
         set type = excluded.type, options = excluded.options, updated_at = now()`,
      [organizationId, name, type, options],
    );
  }

  /** Deletes the declaration of a property. Returns false when the property is not declared. */
  async delete(organizationId: string, name: string): Promise<boolean> {
    const { affected } = await this.tenants
      .repository(organizationId, ContactProperty)
      .delete({ organizationId, name });
    return affected === 1;
  }

  /** Returns at most `limit` values that do not fit the rule, of contacts after `afterId`, in the order of the contacts. */
  async listUnfit(
    organizationId: string,
    name: string,
    rule: PropertyRule,
    afterId: string,
    limit: number,
  ): Promise<UnfitValue[]> {
    return await this.tenants.session(organizationId).query<UnfitValue>(
      `select c.id as "contactId", v.j as value from contacts c
       cross join lateral (select c.properties -> $2 as j) v
       where c.organization_id = $1 and c.id > $4 and v.j is not null and $3::text[] is not null
         and (${FITS[rule.type]}) is not true and $6::text || $7::text || $8::text is not null
       order by c.id limit $5`,
      [organizationId, name, rule.options, afterId, limit, DAY, LEAP_DAY, IN_LEAP_YEAR],
    );
  }
}
