import { ArrayMaxSize, ArrayMinSize, IsArray, IsString, Length } from 'class-validator';
import { PageInput } from '../paging/paging.js';
import { Doc } from '../tools/schema/doc.decorator.js';
import { ObjectList, Text } from '../tools/schema/fields.js';

const MOST_CONTACTS = 1000;

export class SegmentIdInput {
  @Text({ min: 1, max: 64 })
  segment_id: string;
}

export class CreateSegmentInput {
  @Text('Unique name.', { min: 1, max: 100 })
  name: string;

  @Text({ optional: true, max: 1000 })
  description?: string;

  @Doc(
    'Conditions and groups, as in search_contacts. A segment with filters is dynamic, and one without them is static.',
    { examples: [[{ field: 'properties.plan', operator: 'equals', value: 'pro' }]] },
  )
  @ObjectList({ optional: true, max: 50 })
  filters?: object[];
}

export class UpdateSegmentInput extends SegmentIdInput {
  @Text({ optional: true, min: 1, max: 100 })
  name?: string;

  @Text('An empty text removes it.', { optional: true, max: 1000 })
  description?: string;

  @Doc('Conditions and groups of a dynamic segment, as in search_contacts.')
  @ObjectList({ optional: true, max: 50 })
  filters?: object[];
}

export class ListSegmentsInput extends PageInput {}

export class ListSegmentContactsInput extends PageInput {
  @Text({ min: 1, max: 64 })
  segment_id: string;
}

export class SegmentContactsInput extends SegmentIdInput {
  @Doc('Ids of contacts, at most 1,000.')
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MOST_CONTACTS)
  @IsString({ each: true })
  @Length(1, 64, { each: true })
  contact_ids: string[];
}
