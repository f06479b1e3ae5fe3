import { Doc } from '../tools/schema/doc.decorator.js';
import { Integer, JsonObject, Text } from '../tools/schema/fields.js';

/** The template that is shown, and the values for it. */
export class TemplateTestInput {
  @Text({ min: 1, max: 64 })
  template_id: string;

  @Text('Absent: as send_message chooses it.', { optional: true, max: 64 })
  locale?: string;

  @Integer('Published version. Absent: the draft.', { optional: true, min: 1, max: 2_147_483_647 })
  version?: number;

  @Text('Contact for the texts. Absent: one without fields.', { optional: true, min: 1, max: 64 })
  contact_id?: string;

  @JsonObject('A variable without a value and without a default gets a sample.', { optional: true })
  variables?: object;
}

export class PreviewTemplateInput extends TemplateTestInput {
  @Doc('An unsaved draft, with the members variables and variants.')
  @JsonObject({ optional: true })
  draft?: object;
}
