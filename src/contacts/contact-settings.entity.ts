import { Column, Entity } from 'typeorm';
import { OrganizationRow } from '../database/organization-row.js';

/** Stores the settings of an organization for its contacts. An organization without a row has the defaults. */
@Entity('contact_settings')
export class ContactSettings extends OrganizationRow {
  /** A country code of ISO 3166. Phone numbers in national form are read as numbers of this country. */
  @Column('text', { nullable: true })
  region: string | null;

  /** True when contacts get no properties that are not declared. */
  @Column('boolean', { default: false })
  strictProperties: boolean;

  /** The language of contacts without a locale. */
  @Column('text', { nullable: true })
  defaultLocale: string | null;

  /** The answer to a text message that consists of HELP. Null: there is no answer. */
  @Column('text', { nullable: true })
  smsHelp: string | null;
}
