import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { ToolPolicyView } from './tool-policy-view.js';

export class ToolPolicyResult {
  @ValidateNested()
  @Type(() => ToolPolicyView)
  policy: ToolPolicyView;
}
