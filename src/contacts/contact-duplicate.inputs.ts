import { Choice, Text } from '../tools/schema/fields.js';
import { PageInput } from '../paging/paging.js';
import { DUPLICATE_REASONS, type DuplicateReason } from './duplicate-reasons.js';

export class FindDuplicatesInput extends PageInput {
  @Choice(DUPLICATE_REASONS, 'Only pairs with this reason.', { optional: true })
  reason?: DuplicateReason;

  @Text('next_cursor of the previous page, with the same reason.', { optional: true, max: 8192 })
  declare cursor?: string;
}
