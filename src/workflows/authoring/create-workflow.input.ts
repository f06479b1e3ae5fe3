import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, IsObject, IsString, Length } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';
import { MAX_STEPS } from '../definitions/steps/step-parser.js';

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
