import { CONFIRMATIONS, type Confirmation } from '../../policies/tool-policies.js';
import { Doc } from '../schema/doc.decorator.js';
import { Choice, Flag, ListOf, Nested, Text } from '../schema/fields.js';

export class ListToolPoliciesInput {}

export class SetToolPolicyInput {
  @Text('Name of the tool.', { min: 1, max: 64 })
  tool: string;

  @Doc('Whether nobody of the organization, agent or person, sees or calls it.')
  @Flag({ optional: true })
  hidden?: boolean;

  @Doc(
    'Whether a person must confirm what an agent calls: never; when_possible: if the client can ask; always: clients ' +
      'that cannot ask are refused.',
  )
  @Choice(CONFIRMATIONS, { optional: true })
  confirmation?: Confirmation;
}

export class ToolPolicyView {
  @Text()
  tool: string;

  @Flag()
  hidden: boolean;

  @Choice(CONFIRMATIONS)
  confirmation: Confirmation;
}

export class ToolPolicyResult {
  @Nested(() => ToolPolicyView)
  policy: ToolPolicyView;
}

export class ToolPolicyList {
  @ListOf(() => ToolPolicyView)
  policies: ToolPolicyView[];
}
