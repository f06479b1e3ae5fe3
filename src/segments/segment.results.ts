import { PageResult } from '../paging/paging.js';
import {
  Choice,
  Flag,
  Integer,
  ListOf,
  Nested,
  ObjectList,
  Text,
  TextList,
  Timestamp,
} from '../tools/schema/fields.js';
import { SEGMENT_KINDS, type SegmentKind } from './segment.entity.js';
import type { CountedSegment } from './segments.service.js';

export class SegmentView {
  @Text()
  id: string;

  @Text()
  name: string;

  @Text({ nullable: true })
  description: string | null;

  @Choice(
    SEGMENT_KINDS,
    'dynamic: contacts that match the filters. static: contacts that were added.',
  )
  kind: SegmentKind;

  @ObjectList('Conditions of a dynamic segment, with other segments by their ids.', {
    nullable: true,
  })
  filters: object[] | null;

  @Integer('Contacts in the segment, at most 10,000.')
  contacts: number;

  @Flag(
    'False if more than 10,000 contacts match, or while all contacts are compared for the first time.',
  )
  is_complete: boolean;

  @Timestamp('Time when all contacts had been compared with the filters.', { nullable: true })
  evaluated_at: string | null;

  @Timestamp()
  created_at: string;

  @Timestamp()
  updated_at: string;

  static of({ segment, count, isComplete }: CountedSegment): SegmentView {
    return {
      id: segment.id,
      name: segment.name,
      description: segment.description,
      kind: segment.kind,
      filters: segment.filters,
      contacts: count,
      is_complete: isComplete,
      evaluated_at: segment.evaluatedAt?.toISOString() ?? null,
      created_at: segment.createdAt.toISOString(),
      updated_at: segment.updatedAt.toISOString(),
    };
  }
}

export class SegmentResult {
  @Nested(() => SegmentView)
  segment: SegmentView;
}

export class SegmentPage extends PageResult {
  @ListOf(() => SegmentView)
  segments: SegmentView[];
}

export class AddedToSegment {
  @Integer('Contacts that were not in the segment before.')
  added: number;

  @TextList('Ids that no contact has.')
  unknown: string[];
}

export class RemovedFromSegment {
  @Integer('Contacts that were in the segment before.')
  removed: number;

  @TextList('Ids that no contact has.')
  unknown: string[];
}

export class DeletedSegment {
  @Flag()
  deleted: boolean;
}
