import { PageInput } from '../paging/paging.js';
import { Doc } from '../tools/schema/doc.decorator.js';
import { Choice, Flag, JsonObject, Text } from '../tools/schema/fields.js';
import type { Identifier } from '../contacts/contact-statements.js';

export class ImportIdInput {
  @Text({ min: 1, max: 64 })
  import_id: string;
}

export class StartImportInput extends ImportIdInput {
  @Doc(
    'Maps names of columns to external_id, email, phone, first_name, last_name, locale, timezone, tags, ' +
      'consent.email, consent.sms, consent.webhook or properties.<name>. Without it, suggested_mapping is used.',
    { examples: [{ 'E-mail': 'email', Plan: 'properties.plan' }] },
  )
  @JsonObject({ optional: true })
  mapping?: object;

  @Doc(
    'A row belongs to the contact with the same value of this field. The default is the first mapped one.',
  )
  @Choice(['external_id', 'email', 'phone'], { optional: true })
  match_by?: Identifier;

  @Doc('What happens to contacts that exist. An update keeps fields whose cell is empty.')
  @Choice(['update', 'skip'])
  on_existing: 'update' | 'skip' = 'update';

  @Doc('Checks all rows and counts what would happen, and changes no contact.')
  @Flag()
  check_only: boolean = false;

  @Doc('Emits contact.created and the other events, which start workflows.')
  @Flag()
  start_workflows: boolean = false;
}

export class ListImportsInput extends PageInput {}
