import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsOptional,
  IsString,
  Length,
  ValidateNested,
} from 'class-validator';
import { CONFIRMATIONS, type Confirmation } from '../../policies/tool-policies.js';
import { Doc } from '../schema/doc.decorator.js';

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

/** The policy of a tool as people see it. */
export class ToolPolicyView {
  @IsString()
  tool: string;

  @IsBoolean()
  hidden: boolean;

  @IsIn(CONFIRMATIONS)
  confirmation: Confirmation;
}

export class ToolPolicyResult {
  @ValidateNested()
  @Type(() => ToolPolicyView)
  policy: ToolPolicyView;
}

export class ToolPolicyList {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ToolPolicyView)
  policies: ToolPolicyView[];
}
