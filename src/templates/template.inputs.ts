import { PageInput } from '../paging/paging.js';
import { Doc } from '../tools/schema/doc.decorator.js';
import { Integer, JsonObject, ObjectList, Text } from '../tools/schema/fields.js';

const VARIABLES_DOC =
  'Values that the texts use: name, type (text, number, boolean, date, list or object), and optionally default and ' +
  'description. Without a default, each message must have a value.';
const VARIANTS_DOC =
  'Texts by locale: email with subject, html and text, and sms with text. All are Liquid templates over the variables ' +
  'and the contact. Outputs in html are escaped.';
const VARIABLES_EXAMPLES = [[{ name: 'order_number', type: 'text' }]];
const VARIANTS_EXAMPLES = [
  { en: { email: { subject: 'Order {{ order_number }}', html: '<p>It is on its way.</p>' } } },
];

export class TemplateIdInput {
  @Text({ min: 1, max: 64 })
  template_id: string;
}

export class CreateTemplateInput {
  @Text('Unique name for send_message: a-z, 0-9, _ and -.', { min: 1, max: 100 })
  name: string;

  @Text({ optional: true, max: 1000 })
  description?: string;

  @Doc(VARIABLES_DOC, { examples: VARIABLES_EXAMPLES })
  @ObjectList({ optional: true })
  variables?: object[];

  @Doc(VARIANTS_DOC, { examples: VARIANTS_EXAMPLES })
  @JsonObject({ optional: true })
  variants?: object;
}

export class UpdateTemplateInput extends TemplateIdInput {
  @Text('Workflows and agents that send by the old name fail.', {
    optional: true,
    min: 1,
    max: 100,
  })
  name?: string;

  @Text('An empty text removes it.', { optional: true, max: 1000 })
  description?: string;

  @Doc(`${VARIABLES_DOC} Replaces all variables.`, { examples: VARIABLES_EXAMPLES })
  @ObjectList({ optional: true })
  variables?: object[];

  @Doc(`${VARIANTS_DOC} Replaces all variants.`, { examples: VARIANTS_EXAMPLES })
  @JsonObject({ optional: true })
  variants?: object;

  @Doc(
    'draft_version of the draft that you read. The call fails with conflict if the draft has changed.',
  )
  @Integer({ optional: true, min: 1 })
  expected_version?: number;
}

export class PublishTemplateInput extends TemplateIdInput {
  @Doc(
    'draft_version of the draft that you read. The call fails with conflict if the draft has changed.',
  )
  @Integer({ optional: true, min: 1 })
  expected_version?: number;
}

export class ListTemplatesInput extends PageInput {}

export class ListTemplateVersionsInput extends PageInput {
  @Text({ min: 1, max: 64 })
  template_id: string;
}

export class TemplateVersionInput extends TemplateIdInput {
  @Integer({ min: 1, max: 2_147_483_647 })
  version: number;
}

export class DiffTemplateVersionsInput extends TemplateIdInput {
  @Integer({ min: 1, max: 2_147_483_647 })
  from: number;

  @Integer('Absent: the draft.', { optional: true, min: 1, max: 2_147_483_647 })
  to?: number;
}

export class RestoreTemplateVersionInput extends TemplateVersionInput {
  @Doc(
    'draft_version of the draft that you read. The call fails with conflict if the draft has changed.',
  )
  @Integer({ optional: true, min: 1 })
  expected_version?: number;
}
