import { CONFIRMATIONS, type Confirmation } from '../../policies/tool-policies.js';
import { Doc } from '../schema/doc.decorator.js';
import { Choice, Flag, ListOf, Nested, Text } from '../schema/fields.js';

export class ListToolPoliciesInput {}

export class SetToolPolicyInput {
  @Text('Name of the tool.', { min: 1, max: 64 })
  tool: string;

  @Doc('If true, nobody in the organization, agent or person, can see or call it.')
  @Flag({ optional: true })
  hidden?: boolean;

  @Doc(
    'When a person must confirm calls of agents: never, when_possible (if the client can ask) or always ' +
      '(clients that cannot ask are refused).',
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
