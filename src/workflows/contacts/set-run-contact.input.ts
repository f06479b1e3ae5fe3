import { IsObject } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';

export class SetRunContactInput {
  @Doc(
    'Fields as in create_contact. What is null or blank is left out and changes nothing; tags are added to those that ' +
      'are there.',
    { examples: [{ email: '{{ trigger.payload.email }}', tags: ['lead'] }] },
  )
  @IsObject()
  contact: Record<string, unknown>;
}
