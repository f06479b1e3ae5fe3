import { Choice, Integer, Text } from '../schema/fields.js';

export class ListConfirmationsInput {
  @Choice(
    ['pending', 'all'],
    'pending: those that can be answered; all: answered and expired ones too.',
  )
  state: 'pending' | 'all' = 'pending';

  @Integer('Maximum number of results.', { min: 1, max: 100 })
  limit: number = 50;
}

export class AnswerConfirmationInput {
  @Text('The confirmation.', { min: 1, max: 64 })
  confirmation_id: string;
}
