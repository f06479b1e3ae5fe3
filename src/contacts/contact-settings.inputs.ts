import { Doc } from '../tools/schema/doc.decorator.js';
import { Flag, Text } from '../tools/schema/fields.js';

/** Declares no arguments, because each organization has one set of settings. */
export class GetContactSettingsInput {}

/** Declares the settings. An absent setting stays unchanged. */
export class SetContactSettingsInput {
  @Doc(
    'Country whose phone numbers are accepted in national form (ISO 3166). Null: only the international form.',
    { examples: ['DE'] },
  )
  @Text({ optional: true, nullable: true, min: 2, max: 2 })
  region?: string | null;

  @Flag('When true, contacts get no properties that are not declared.', { optional: true })
  strict_properties?: boolean;

  @Doc('Language of contacts without a locale, for templates of messages (BCP 47). Null: none.', {
    examples: ['pt-BR'],
  })
  @Text({ optional: true, nullable: true, max: 64 })
  default_locale?: string | null;

  @Doc('Answers a text message that consists of HELP. Null: it is not answered.')
  @Text({ optional: true, nullable: true, min: 1, max: 1600 })
  sms_help?: string | null;
}
