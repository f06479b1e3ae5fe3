import { IsString, Length } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';

export class BuildWorkflowInput {
  @Doc(
    'What should happen and when, such as "when somebody signs up, welcome them, and ask after a week how it goes".',
  )
  @IsString()
  @Length(1, 10_000)
  description: string;
}
