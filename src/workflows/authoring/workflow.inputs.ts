import { PageInput } from '../../paging/paging.js';
import { Doc } from '../../tools/schema/doc.decorator.js';
import { Flag, Integer, JsonObject, ObjectList, Text } from '../../tools/schema/fields.js';
import { MAX_STEPS } from '../definitions/steps/step-parser.js';
import { MAX_OVERLAP, MAX_SECRET, MIN_SECRET } from '../definitions/trigger.js';
import { WorkflowIdInput } from '../store/workflow-id.inputs.js';

export class BuildWorkflowInput {
  @Doc(
    'Purpose of the workflow, such as "when somebody signs up, welcome them, and ask after a week how it goes".',
  )
  @Text({ min: 1, max: 10_000 })
  description: string;
}

export class CreateWorkflowInput {
  @Text('Name shown to people.', { min: 1, max: 200 })
  name: string;

  @Doc(
    'Trigger: {"type": "manual"}; {"type": "webhook"}, optionally with "secret": true (generated and ' +
      'returned once) or "secret": "…" (16 to 256 characters), and then webhooks must be signed, or signed by ' +
      '"signature": "github" | "meta" | "shopify" | "slack" | "stripe" | "twilio" with its secret; {"type": ' +
      '"schedule", "cron": "0 9 * * 1", "timezone"?: "Europe/Vienna" (UTC), "missed"?: "skip" | "run_once" (once for ' +
      'all ticks while nothing ran)}; {"type": "event", "event": "contact.created", .updated, .tagged, message.sent, ' +
      '.delivered, .failed, .received, run.failed or your own custom.x (emit_event)}. All triggers but manual can ' +
      'have a condition "if" on trigger.payload or contact. With "contact": {"email": ' +
      '"{{ trigger.payload.email }}", …}, a webhook or manual trigger saves the contact of the run.',
    { examples: [{ type: 'webhook', secret: true }] },
  )
  @JsonObject()
  trigger: object;

  @Doc(
    'Steps in order, ids (a-z, 0-9, _) unique: {id, tool, arguments?, if?, on_error?: "fail" | "continue" | [steps], ' +
      'retry?: {max_attempts, backoff_seconds}, timeout?: seconds}; {id, if, then: [steps], else?}; {id, wait: ' +
      '{seconds | minutes | hours | days: number} or {until: time}}; {id, for_each: list, steps}; {id, parallel: ' +
      '[[steps]]}; {id, stop: "succeeded" | "failed"}. Texts may contain Liquid: "{{ trigger.payload.email }}", ' +
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
  @ObjectList({ max: MAX_STEPS })
  steps: object[];

  @ObjectList('Steps to run after a failure; they see failure.step and failure.error.message.', {
    optional: true,
    max: MAX_STEPS,
  })
  on_failure?: object[];

  @Flag('If true, runs can start at once.')
  active: boolean = true;
}

export class UpdateWorkflowInput extends WorkflowIdInput {
  @Text('New name.', { optional: true, min: 1, max: 200 })
  name?: string;

  @Doc(
    'Whole new trigger, as in create_workflow. Without "secret" the secret stays; true keeps or creates it; text ' +
      'replaces it; null removes it; "overlap_seconds" keeps the old secret too.',
  )
  @JsonObject({ optional: true })
  trigger?: object;

  @ObjectList('All new steps, as in create_workflow.', { optional: true, max: MAX_STEPS })
  steps?: object[];

  @ObjectList('As in create_workflow; [] removes it.', { optional: true, max: MAX_STEPS })
  on_failure?: object[];

  @Integer('Otherwise conflict.', { optional: true, min: 1 })
  expected_version?: number;
}

export class RotateWebhookSecretInput extends WorkflowIdInput {
  @Doc(
    'Seconds for which senders may still use the secrets that are valid now. 0 ends them at once.',
  )
  @Integer({ min: 0, max: MAX_OVERLAP })
  overlap_seconds: number = 86_400;

  @Text('The new secret. Without it, one is generated.', {
    optional: true,
    min: MIN_SECRET,
    max: MAX_SECRET,
  })
  secret?: string;
}

export class ListWorkflowsInput extends PageInput {
  @Flag('True: only active workflows. False: only inactive workflows.', { optional: true })
  active?: boolean;
}

/** Declares no arguments, because all definitions have the same schema. */
export class GetWorkflowSchemaInput {}
