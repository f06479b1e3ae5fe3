import { Integer, ListOf, Text, TextList } from '../../../tools/schema/fields.js';

/** Describes a run that matched and was not changed. */
export class RefusedRun {
  @Text()
  run_id: string;

  @Text()
  code: string;

  @Text('Why.')
  message: string;
}

export class BulkRunsResult {
  @Integer('With how many runs it was done.')
  done: number;

  @TextList('The runs that were canceled, that go on, or that were started.')
  run_ids: string[];

  @ListOf(() => RefusedRun, 'Runs that match, but with which it could not be done.')
  refused: RefusedRun[];

  @Text('Pass it as cursor to go on; null when no more runs match.', { nullable: true })
  next_cursor: string | null;
}
