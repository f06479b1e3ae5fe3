import { IsBoolean, IsOptional } from 'class-validator';
import { PageInput } from '../../tools/page.input.js';
import { Doc } from '../../tools/schema/doc.decorator.js';

export class ListWorkflowsInput extends PageInput {
  @Doc('Only active, or only inactive ones.')
  @IsOptional()
  @IsBoolean()
  active?: boolean;
}
