import { IsBoolean, IsIn, IsOptional, IsString, Length } from 'class-validator';
import { CONFIRMATIONS, type Confirmation } from '../../policies/tool-policies.js';
import { Doc } from '../schema/doc.decorator.js';

/** No arguments. */
export class ListToolPoliciesInput {}

export class SetToolPolicyInput {
  @Doc('Name of the tool.')
  @IsString()
  @Length(1, 64)
  tool: string;

  @Doc('Whether nobody of the organization, agent or person, sees or calls it.')
  @IsOptional()
  @IsBoolean()
  hidden?: boolean;

  @Doc(
    'Whether a person must confirm what an agent calls: never; when_possible: if the client can ask; always: clients ' +
      'that cannot ask are refused.',
  )
  @IsOptional()
  @IsIn(CONFIRMATIONS)
  confirmation?: Confirmation;
}
