import { Type } from 'class-transformer';
import { IsArray, IsBoolean, IsIn, IsString, ValidateNested } from 'class-validator';
import { CONFIRMATIONS, type Confirmation } from '../../policies/tool-policies.js';

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
