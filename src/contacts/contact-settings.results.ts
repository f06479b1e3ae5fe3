import { Flag, Nested, Text } from '../tools/schema/fields.js';
import type { ContactRules } from './contact-rules.js';

export class ContactSettingsView {
  @Text('Country of phone numbers in national form (ISO 3166).', { nullable: true })
  region: string | null;

  @Flag()
  strict_properties: boolean;

  static of({ region, strictProperties }: ContactRules): ContactSettingsView {
    return { region, strict_properties: strictProperties };
  }
}

export class ContactSettingsResult {
  @Nested(() => ContactSettingsView)
  settings: ContactSettingsView;
}
