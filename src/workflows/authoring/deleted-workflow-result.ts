import { IsBoolean } from 'class-validator';

export class DeletedWorkflowResult {
  @IsBoolean()
  deleted: boolean;
}
