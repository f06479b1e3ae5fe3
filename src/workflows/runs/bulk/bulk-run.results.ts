import { Integer, ListOf, Text, TextList } from '../../../tools/schema/fields.js';

/** A run that matched and was not changed. */
export class RefusedRun {
  @Text()
  run_id: string;

  @Text()
  code: string;

  @Text('Why.')
  message: string;
}

export class BulkRunsResult {
  @Integer('Number of changed or started runs.')
  done: number;

  @TextList('The runs that were canceled, retried or started.')
  run_ids: string[];

  @ListOf(() => RefusedRun, 'Runs that match but were refused.')
  refused: RefusedRun[];

  @Text('Cursor of the next call; null if no more runs match.', { nullable: true })
  next_cursor: string | null;
}
