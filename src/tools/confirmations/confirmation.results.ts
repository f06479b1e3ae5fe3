import { Choice, JsonObject, ListOf, Nested, Text, Timestamp } from '../schema/fields.js';
import type { Confirmation } from './confirmation.entity.js';

const STATES = ['pending', 'approved', 'declined', 'used', 'failed', 'expired'] as const;

export class ConfirmationView {
  @Text()
  id: string;

  @Text()
  tool: string;

  @JsonObject('All arguments with which the tool runs.')
  arguments: object;

  @Choice(
    STATES,
    'used: the call was made; failed: it was made and failed, perhaps with an effect.',
  )
  state: (typeof STATES)[number];

  @Text('The API key of the agent.')
  api_key_id: string;

  @Timestamp()
  created_at: string;

  @Timestamp()
  expires_at: string;

  @Text('The person who approved or declined.', { nullable: true })
  answered_by: string | null;

  @Timestamp({ nullable: true })
  answered_at: string | null;
}

export class ConfirmationResult {
  @Nested(() => ConfirmationView)
  confirmation: ConfirmationView;
}

export class ConfirmationList {
  @ListOf(() => ConfirmationView)
  confirmations: ConfirmationView[];
}

/**
 * Returns a confirmation as it is at the time `now`. Its state is `expired` when it was not answered or not used in
 * time.
 */
export function confirmationView(row: Confirmation, now: Date): ConfirmationView {
  const isWaiting = row.state === 'pending' || row.state === 'approved';
  return {
    id: row.id,
    tool: row.tool,
    arguments: row.arguments,
    state: isWaiting && row.expiresAt <= now ? 'expired' : row.state,
    api_key_id: row.apiKeyId,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    answered_by: row.answeredBy,
    answered_at: row.answeredAt?.toISOString() ?? null,
  };
}
