import { IsBoolean, IsIn, IsString } from 'class-validator';
import { CONFIRMATIONS, type Confirmation } from '../policies/tool-policy.js';

/** The policy of a tool as people see it. */
export class ToolPolicyView {
  @IsString()
  tool: string;

  @IsBoolean()
  hidden: boolean;

  @IsIn(CONFIRMATIONS)
  confirmation: Confirmation;
}
