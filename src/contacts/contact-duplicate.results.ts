import { PageResult } from '../paging/paging.js';
import { Choice, ListOf, Text } from '../tools/schema/fields.js';
import type { DuplicatePair } from './contact-duplicates.repository.js';
import { DUPLICATE_REASONS, type DuplicateReason } from './duplicate-reasons.js';

export class DuplicateView {
  @Text('The older contact.')
  contact_id: string;

  @Text({ nullable: true })
  name: string | null;

  @Text('E-mail address, or else phone number or external id.', { nullable: true })
  address: string | null;

  @Text('The other contact.')
  other_id: string;

  @Text({ nullable: true })
  other_name: string | null;

  @Text({ nullable: true })
  other_address: string | null;

  @Choice(
    DUPLICATE_REASONS,
    'similar_email: the addresses differ in dots, in a tag after a plus sign, or in googlemail.com. ' +
      'same_external_id: the ids differ in case. same_name: first and last name differ at most in case.',
  )
  reason: DuplicateReason;

  @Text('Value that both share.')
  shared: string;

  static of(pair: DuplicatePair): DuplicateView {
    return {
      contact_id: pair.contactId,
      name: pair.name,
      address: pair.address,
      other_id: pair.otherId,
      other_name: pair.otherName,
      other_address: pair.otherAddress,
      reason: pair.reason,
      shared: pair.key,
    };
  }
}

export class DuplicatePage extends PageResult {
  @ListOf(() => DuplicateView)
  duplicates: DuplicateView[];
}
