import { Flag, Nested, Text } from '../tools/schema/fields.js';
import type { ContactRules } from './contact-rules.js';

export class ContactSettingsView {
  @Text('Country of phone numbers in national form (ISO 3166).', { nullable: true })
  region: string | null;

  @Flag()
  strict_properties: boolean;

  @Text('Language of contacts without a locale (BCP 47).', { nullable: true })
  default_locale: string | null;

  @Text({ nullable: true })
  sms_help: string | null;

  static of(rules: ContactRules): ContactSettingsView {
    return {
      region: rules.region,
      strict_properties: rules.strictProperties,
      default_locale: rules.defaultLocale,
      sms_help: rules.smsHelp,
    };
  }
}

export class ContactSettingsResult {
  @Nested(() => ContactSettingsView)
  settings: ContactSettingsView;
}
