import { IsBoolean } from 'class-validator';

export class DeletedContactResult {
  @IsBoolean()
  deleted: boolean;
}
