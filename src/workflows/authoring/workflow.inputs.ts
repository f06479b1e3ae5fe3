import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Min,
} from 'class-validator';
import { PageInput } from '../../paging/paging.js';
import { Doc } from '../../tools/schema/doc.decorator.js';
import { MAX_STEPS } from '../definitions/steps/step-parser.js';
import { WorkflowIdInput } from '../store/workflow-id.input.js';

export class BuildWorkflowInput {
  @Doc(
    'What should happen and when, such as "when somebody signs up, welcome them, and ask after a week how it goes".',
  )
  @IsString()
  @Length(1, 10_000)
  description: string;
}

export class CreateWorkflowInput {
  @Doc('Name for people.')
  @IsString()
  @Length(1, 200)
  name: string;

  @Doc(
    'What starts it: {"type": "manual"}; {"type": "webhook"}, optionally with "secret": true (one is made and ' +
      'returned once) or "secret": "…" (16 to 256 characters), and then webhooks must be signed; {"type": ' +
      '"schedule", "cron": "0 9 * * 1", "timezone"?: "Europe/Vienna" (UTC), "missed"?: "skip" | "run_once" (once for ' +
      'all ticks while nothing ran)}; {"type": "event", "event": "contact.created", .updated, .tagged, message.sent, ' +
      '.delivered, .failed, .received or run.failed}. A condition "if" on trigger.payload or contact filters all ' +
      'but manual. "contact": {"email": "{{ trigger.payload.email }}", …} (webhook, manual) makes or updates its contact.',
    { examples: [{ type: 'webhook', secret: true }] },
  )
  @IsObject()
  // As sent: class-transformer would drop a key called "constructor" in silence instead of refusing it.
  @Transform(({ obj }) => (obj as CreateWorkflowInput).trigger)
  trigger: object;

  @Doc(
    'Steps in order, ids (a-z, 0-9, _) unique: {id, tool, arguments?, if?, on_error?: "fail" | "continue" | [steps], ' +
      'retry?: {max_attempts, backoff_seconds}, timeout?: seconds}; {id, if, then: [steps], else?}; {id, wait: ' +
      '{seconds | minutes | hours | days: number} or {until: time}}; {id, for_each: list, steps}; {id, parallel: ' +
      '[[steps]]}; {id, stop: "succeeded" | "failed"}. Texts may hold Liquid: "{{ trigger.payload.email }}", ' +
      '"{{ contact.id }}", "{{ item }}", "{{ <step id>.<field> }}"; a lone expression keeps its type. Conditions ' +
      'have no braces: "trigger.payload.plan == \'pro\'".',
    {
      examples: [
        [
          {
            id: 'person',
            tool: 'create_contact',
            arguments: { email: '{{ trigger.payload.email }}', on_conflict: 'update' },
          },
          { id: 'pause', wait: { days: 1 } },
        ],
      ],
    },
  )
  @IsArray()
  @ArrayMaxSize(MAX_STEPS)
  @IsObject({ each: true })
  @Transform(({ obj }) => (obj as CreateWorkflowInput).steps)
  steps: object[];

  @Doc('Whether it can be started at once.')
  @IsBoolean()
  active: boolean = true;
}

export class UpdateWorkflowInput extends WorkflowIdInput {
  @Doc('New name.')
  @IsOptional()
  @IsString()
  @Length(1, 200)
  name?: string;

  @Doc(
    'New trigger, as in create_workflow. Without "secret" the secret stays; true keeps or makes one; text replaces it; ' +
      'null removes it; "overlap_seconds" keeps the old one too.',
  )
  @IsOptional()
  @IsObject()
  @Transform(({ obj }) => (obj as UpdateWorkflowInput).trigger)
  trigger?: object;

  @Doc('All steps anew, as in create_workflow.')
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_STEPS)
  @IsObject({ each: true })
  @Transform(({ obj }) => (obj as UpdateWorkflowInput).steps)
  steps?: object[];

  @Doc('Otherwise conflict.')
  @IsOptional()
  @IsInt()
  @Min(1)
  expected_version?: number;
}

export class ListWorkflowsInput extends PageInput {
  @Doc('Only active, or only inactive ones.')
  @IsOptional()
  @IsBoolean()
  active?: boolean;
}
