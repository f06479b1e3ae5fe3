import { CONFIRMATIONS, type Confirmation } from '../../policies/tool-policies.js';
import { Choice, Flag, ListOf, Nested, Text } from '../schema/fields.js';

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
