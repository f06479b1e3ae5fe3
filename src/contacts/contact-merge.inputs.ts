import { Text } from '../tools/schema/fields.js';

export class MergeContactsInput {
  @Text('The contact that stays.', { min: 1, max: 64 })
  contact_id: string;

  @Text('The contact that is merged.', { min: 1, max: 64 })
  other_id: string;
}

export class UnmergeContactsInput {
  @Text('Id of the contact that was merged into another one.', { min: 1, max: 64 })
  merged_id: string;
}

export class ListContactMergesInput {
  @Text({ min: 1, max: 64 })
  contact_id: string;
}
