import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Min,
} from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';
import { MAX_STEPS } from '../definitions/steps/step-parser.js';

export class UpdateWorkflowInput {
  @Doc('Id of the workflow.')
  @IsString()
  @Length(1, 64)
  workflow_id: string;

  @Doc('New name.')
  @IsOptional()
  @IsString()
  @Length(1, 200)
  name?: string;

  @Doc(
    'New trigger, as in create_workflow. Without "secret" the secret stays; true keeps or makes one; text replaces it; ' +
      'null removes it; "overlap_seconds" keeps the old one too.',
  )
  @IsOptional()
  @IsObject()
  @Transform(({ obj }) => (obj as UpdateWorkflowInput).trigger)
  trigger?: object;

  @Doc('All steps anew, as in create_workflow.')
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_STEPS)
  @IsObject({ each: true })
  @Transform(({ obj }) => (obj as UpdateWorkflowInput).steps)
  steps?: object[];

  @Doc('Otherwise conflict.')
  @IsOptional()
  @IsInt()
  @Min(1)
  expected_version?: number;
}
