import { PageResult } from '../paging/paging.js';
import { Choice, Flag, ListOf, Nested, Text, Timestamp } from '../tools/schema/fields.js';
import {
  SUPPRESSION_REASONS,
  type SuppressedAddress,
  type SuppressionReason,
} from './suppressed-address.entity.js';

export class SuppressionView {
  @Text()
  channel: string;

  @Text('Lowercase e-mail address, or phone number in E.164.')
  address: string;

  @Choice(SUPPRESSION_REASONS)
  reason: SuppressionReason;

  @Text('The message that the provider reported.', { nullable: true })
  message_id: string | null;

  @Timestamp()
  created_at: string;

  static of(row: SuppressedAddress): SuppressionView {
    const { channel, address, reason, messageId, createdAt } = row;
    return {
      channel,
      address,
      reason,
      message_id: messageId,
      created_at: createdAt.toISOString(),
    };
  }
}

export class SuppressionResult {
  @Nested(() => SuppressionView)
  suppression: SuppressionView;
}

export class SuppressionPage extends PageResult {
  @ListOf(() => SuppressionView)
  suppressions: SuppressionView[];
}

export class RemovedSuppression {
  @Flag()
  removed: boolean;
}
