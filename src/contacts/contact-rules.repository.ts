import { Injectable } from '@nestjs/common';
import { type CountryCode, isSupportedCountry } from 'libphonenumber-js/max';
import { prepared } from '../database/driver/statement.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { ContactRules } from './contact-rules.js';
import type { ContactSettings } from './contact-settings.entity.js';
import type { PropertyType } from './property-type.js';

const LOCK = prepared('contact_rules_lock', `select lock_name('contact properties', true)`);
const LOCK_EXCLUSIVELY = prepared(
  'contact_rules_lock_exclusively',
  `select lock_name('contact properties', false)`,
);
const FIND = prepared(
  'contact_rules',
  `select s.region, s.default_locale as "defaultLocale", s.sms_help as "smsHelp", coalesce(s.strict_properties, false) as strict,
     (select json_agg(json_build_array(p.name, p.type, p.options)) from contact_properties p
      where p.organization_id = $1) as properties
   from (values (1)) one left join contact_settings s on s.organization_id = $1`,
);

interface FoundRules {
  region: string | null;
  smsHelp: string | null;
  strict: boolean;
  defaultLocale: string | null;
  properties: [name: string, type: PropertyType, options: string[]][] | null;
}

/** The settings to change. Null removes a setting. */
export type ChangedSettings = Partial<
  Pick<ContactSettings, 'region' | 'strictProperties' | 'defaultLocale' | 'smsHelp'>
>;

/** Reads and changes the settings of contacts. */
@Injectable()
export class ContactRulesRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /**
   * Returns the rules of the organization. With `areKept`, the rules about properties stay the same until the
   * transaction ends. Without this, another transaction could change the type of a property while this transaction
   * writes a value of the old type.
   */
  async find(organizationId: string, areKept: boolean): Promise<ContactRules> {
    const session = this.tenants.session(organizationId);
    // The lock is a separate statement, so that the rules are read after the wait for the lock.
    if (areKept) session.defer(LOCK, []);
    const [found] = await session.query<FoundRules>(FIND, [organizationId]);
    const { region, strict, defaultLocale, smsHelp, properties } = found!;
    return {
      region: isCountry(region) ? region : null,
      strictProperties: strict,
      defaultLocale,
      smsHelp,
      properties: new Map(
        properties?.map(([name, type, options]) => [name, { type, options }] as const),
      ),
    };
  }

  /**
   * Waits until no transaction is writing properties of contacts. Other transactions cannot begin to write properties
   * before this transaction ends.
   */
  async lockProperties(organizationId: string): Promise<void> {
    await this.tenants.session(organizationId).query(LOCK_EXCLUSIVELY, []);
  }

  /** Changes the settings that are given. */
  async setSettings(
    organizationId: string,
    { region, strictProperties, defaultLocale, smsHelp }: ChangedSettings,
  ): Promise<void> {
    await this.tenants.session(organizationId).query(
      `insert into contact_settings as s (organization_id, region, strict_properties, default_locale, sms_help)
       values ($1, $2, coalesce($4, false), $5, $7)
       on conflict on constraint contact_settings_pkey do update
         set region = case when $3 then excluded.region else s.region end,
           strict_properties = coalesce($4, s.strict_properties),
           default_locale = case when $6 then excluded.default_locale else s.default_locale end,
           sms_help = case when $8 then excluded.sms_help else s.sms_help end`,
      [
        organizationId,
        region ?? null,
        region !== undefined,
        strictProperties ?? null,
        defaultLocale ?? null,
        defaultLocale !== undefined,
        smsHelp ?? null,
        smsHelp !== undefined,
      ],
    );
  }
}

function isCountry(text: string | null): text is CountryCode {
  return text !== null && isSupportedCountry(text);
}
