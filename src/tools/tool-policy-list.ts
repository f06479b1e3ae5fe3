import { Type } from 'class-transformer';
import { IsArray, ValidateNested } from 'class-validator';
import { ToolPolicyView } from './tool-policy-view.js';

export class ToolPolicyList {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ToolPolicyView)
  policies: ToolPolicyView[];
}
