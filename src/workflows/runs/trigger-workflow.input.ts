import { Transform } from 'class-transformer';
import { IsEmail, IsObject, IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';

export class TriggerWorkflowInput {
  @Doc('Id of an active workflow.')
  @IsString()
  @Length(1, 64)
  workflow_id: string;

  @Doc('What the steps see as trigger.payload.')
  @IsOptional()
  @IsObject()
  @Transform(({ obj }) => (obj as TriggerWorkflowInput).payload)
  payload?: object;

  @Doc('Contact that the run is about.')
  @IsOptional()
  @IsString()
  @Length(1, 64)
  contact_id?: string;

  @Doc('Instead of contact_id: address of the contact; if nobody has it, the run has no contact.')
  @IsOptional()
  @IsEmail()
  @MaxLength(254)
  email?: string;

  @Doc('The same key with the same arguments starts one run only.')
  @IsOptional()
  @IsString()
  @Length(1, 255)
  idempotency_key?: string;
}
