import type { CountryCode } from 'libphonenumber-js/max';
import type { PropertyRule } from './property-type.js';

/** The rules by which an organization reads the fields of contacts. */
export interface ContactRules {
  /** The country of phone numbers in national form. Null: only the international form is accepted. */
  region: CountryCode | null;
  /** True when contacts get no properties that are not declared. */
  strictProperties: boolean;
  /** The language of contacts without a locale. */
  defaultLocale: string | null;
  /** The answer to a text message that consists of HELP. */
  smsHelp: string | null;
  properties: ReadonlyMap<string, PropertyRule>;
}

/** The rules of an organization that has changed no setting. */
export const NO_RULES: ContactRules = Object.freeze({
  region: null,
  strictProperties: false,
  defaultLocale: null,
  smsHelp: null,
  properties: new Map<string, PropertyRule>(),
});
