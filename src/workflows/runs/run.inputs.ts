import { IsEmail, IsOptional, Matches, MaxLength } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';
import { Choice, Integer, JsonObject, Text } from '../../tools/schema/fields.js';
import { RUN_TRIGGER_TYPES, type RunTriggerType } from '../definitions/trigger.js';
import { RUN_STATUSES } from '../journal/run.entity.js';

export class RunIdInput {
  @Text({ min: 1, max: 64 })
  run_id: string;
}

export class GetRunInput extends RunIdInput {
  @Text({ optional: true, max: 4096 })
  cursor?: string;
}

const RUN_VALUES = ['payload', 'input', 'output', 'error', 'failed_attempts'] as const;

/**
 * Identifies a part of a value. The cursor is the index of the first character. It is a text, because resource URIs
 * have the same members, and members of a URI are texts.
 */
export class GetRunValueInput extends RunIdInput {
  @Choice(RUN_VALUES)
  value: (typeof RUN_VALUES)[number];

  @Text('Step, or "trigger" for the payload.', { min: 1, max: 1024 })
  step_id: string = 'trigger';

  @Doc('next_cursor of the previous part.')
  @Matches(/^\d{1,9}$/)
  cursor: string = '0';

  @Integer('Maximum number of characters.', { min: 1, max: 100_000 })
  limit: number = 20_000;
}

/** The version of the workflow for a retry or replay: that of the run, or the newest. */
export const RUN_VERSIONS = ['same', 'latest'] as const;

export type RunVersion = (typeof RUN_VERSIONS)[number];

/** A status, or a group of statuses. */
export const RUN_STATUS_FILTERS = [...RUN_STATUSES, 'unfinished', 'finished'] as const;

export type RunStatusFilter = (typeof RUN_STATUS_FILTERS)[number];

/** Matches the runs that meet all given members. */
export class RunFilterInput {
  @Text({ optional: true, min: 1, max: 64 })
  workflow_id?: string;

  @Choice(RUN_STATUS_FILTERS, { optional: true })
  status?: RunStatusFilter;

  @Text({ optional: true, min: 1, max: 64 })
  contact_id?: string;

  @Doc('The whole reason, or step_failed or stopped for any step.')
  @Text({ optional: true, min: 1, max: 200 })
  reason?: string;

  @Choice(RUN_TRIGGER_TYPES, { optional: true })
  trigger_type?: RunTriggerType;

  @Text('RFC 3339.', { optional: true, max: 64 })
  created_after?: string;

  @Text({ optional: true, max: 64 })
  created_before?: string;

  @Text({ optional: true, max: 64 })
  finished_after?: string;

  @Text({ optional: true, max: 64 })
  finished_before?: string;
}

export class ListRunsInput extends RunFilterInput {
  @Integer({ min: 1, max: 100 })
  limit: number = 20;

  @Text('next_cursor of the previous page, with the same filters.', { optional: true, max: 1024 })
  cursor?: string;
}

export class ReplayRunInput extends RunIdInput {
  @Choice(RUN_VERSIONS, 'Version of the workflow: the newest, or that of the run.')
  version: RunVersion = 'latest';

  @JsonObject('Payload of the new run, instead of the payload of the run.', { optional: true })
  payload?: object;

  @Text('The same key starts only one run.', { optional: true, min: 1, max: 255 })
  idempotency_key?: string;
}

export class RetryRunInput extends RunIdInput {
  @Choice(RUN_VERSIONS, 'Version of the workflow: that of the run, or the newest.')
  version: RunVersion = 'same';
}

export class TriggerWorkflowInput {
  @Text('Id of an active workflow.', { min: 1, max: 64 })
  workflow_id: string;

  @JsonObject('JSON that the steps read as trigger.payload.', { optional: true })
  payload?: object;

  @Text('Contact that the run is about.', { optional: true, min: 1, max: 64 })
  contact_id?: string;

  @Doc(
    'E-mail address of the contact, instead of contact_id. If nobody has it, the run has no contact.',
  )
  @IsOptional()
  @IsEmail()
  @MaxLength(254)
  email?: string;

  @Doc('The same key with the same arguments starts only one run.')
  @Text({ optional: true, min: 1, max: 255 })
  idempotency_key?: string;
}

export const ON_INVALID_FIELD = ['fail', 'drop'] as const;

export type OnInvalidField = (typeof ON_INVALID_FIELD)[number];

export class SetRunContactInput {
  @Doc(
    'Fields as in create_contact. Null and blank fields change nothing; tags are added to the existing tags.',
    { examples: [{ email: '{{ trigger.payload.email }}', tags: ['lead'] }] },
  )
  @JsonObject()
  contact: Record<string, unknown>;

  @Choice(ON_INVALID_FIELD, 'After an invalid field: fail, or save the contact without the field.')
  on_invalid: OnInvalidField = 'fail';
}

/** Declares a filter as in list_runs, and the number of runs that one call may change. */
export class BulkRunsInput extends RunFilterInput {
  @Integer('Maximum number of runs in this call.', { min: 1, max: 1000 })
  limit: number = 100;

  @Text('next_cursor of the previous call, with the same filters.', { optional: true, max: 1024 })
  cursor?: string;

  @Doc('A repeated call with the same key changes nothing and returns the first result.')
  @Text({ optional: true, min: 1, max: 255 })
  idempotency_key?: string;
}

export class BulkReplayRunsInput extends BulkRunsInput {
  @Choice(RUN_VERSIONS, 'Version of the workflows: the newest, or that of each run.')
  version: RunVersion = 'latest';
}

export class BulkRetryRunsInput extends BulkRunsInput {
  @Choice(RUN_VERSIONS, 'Version of the workflows: that of each run, or the newest.')
  version: RunVersion = 'same';
}
