import { CONFIRMATIONS, type Confirmation } from '../../policies/tool-policies.js';
import { Doc } from '../schema/doc.decorator.js';
import { Choice, Flag, Text } from '../schema/fields.js';

export class ListToolPoliciesInput {}

export class SetToolPolicyInput {
  @Text('Name of the tool.', { min: 1, max: 64 })
  tool: string;

  @Doc('If true, no agent or person of the organization can see or call the tool.')
  @Flag({ optional: true })
  hidden?: boolean;

  @Doc(
    'Who agrees to calls of agents. never: nobody. when_possible: the client of the agent asks its person if it can. ' +
      'This depends on the client: an agent can answer for the person. always: a signed-in person approves each call ' +
      'with approve_confirmation.',
  )
  @Choice(CONFIRMATIONS, { optional: true })
  confirmation?: Confirmation;
}
