import { CUSTOM_EVENT_PATTERN } from '../../events/custom-event-name.js';
import { EVENT_NAMES } from '../../events/domain-events.js';
import { STEP_KINDS, WRITTEN_KIND_NAMES, type WrittenKindName } from './steps/step-kinds.js';
import { MAX_STEPS, STEP_ID } from './steps/step-parser.js';
import { TRIGGER_KEYS } from './trigger.js';
import { ANSWER_TYPE_NAMES } from './webhook-answer.js';
import { WEBHOOK_FORMATS } from './webhook-formats.js';
import { SIGNATURE_PRESETS } from './webhook-options.js';

/** Declares the keywords of JSON Schema that the schema of definitions uses. */
export interface DefinitionSchema {
  $ref?: string;
  $defs?: Record<string, DefinitionSchema>;
  title?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  anyOf?: DefinitionSchema[];
  items?: DefinitionSchema;
  properties?: Record<string, DefinitionSchema>;
  required?: readonly string[];
}

const refer = (name: string, description: string): DefinitionSchema => ({
  $ref: `#/$defs/${name}`,
  description,
});
const text = (description: string): DefinitionSchema => ({ type: 'string', description });
const number = (description: string): DefinitionSchema => ({ type: 'number', description });
const duration = (unit: string): DefinitionSchema => ({
  type: ['number', 'string'],
  description: `Length of the pause in ${unit}, or an expression that gives it.`,
});
const flag = (description: string): DefinitionSchema => ({ type: 'boolean', description });
const object = (description: string): DefinitionSchema => ({ type: 'object', description });
const steps = (description: string): DefinitionSchema => ({
  type: 'array',
  description,
  items: { $ref: '#/$defs/step' },
});

const CONDITION = text("Condition without braces, such as trigger.payload.plan == 'pro'.");

const COMMON: Record<string, DefinitionSchema> = {
  id: {
    ...text('Name of the step, which later steps use for its result. Unique in the definition.'),
    pattern: STEP_ID.source,
  },
  if: CONDITION,
  on_error: {
    description: 'Effect of a failure: the run fails, goes on, or goes on with these steps.',
    anyOf: [{ enum: ['fail', 'continue'] }, steps('Steps after a failure.')],
  },
};

/** Has the members of each kind of step. A test compares them with the parsers. */
const MEMBERS: Record<WrittenKindName, Record<string, DefinitionSchema>> = {
  tool: {
    tool: { ...text('Name of the tool that the step calls.'), format: 'tool-name' },
    arguments: {
      ...object('Arguments of the tool. Texts may contain Liquid.'),
      format: 'tool-arguments',
    },
    retry: refer('retry', 'Attempts after a failure.'),
    timeout: number('Seconds until an attempt fails.'),
  },
  code: {
    code: {
      ...text('JavaScript: the body of a function of input. Its result is the output.'),
      format: 'javascript',
    },
    input: object('Value of input in the code. Texts may contain Liquid.'),
    retry: refer('retry', 'Attempts after a timeout.'),
    timeout: {
      ...number('Seconds until an attempt fails, at most 10.'),
      minimum: 0.1,
      maximum: 10,
    },
  },
  branch: {
    then: steps('Steps while the condition is true.'),
    else: steps('Steps while the condition is false.'),
  },
  wait: { wait: refer('wait', 'Pause of the run.') },
  event_wait: { wait_for_event: refer('event_wait', 'Pause until an event, or a timeout.') },
  for_each: {
    for_each: {
      type: ['string', 'array'],
      description: 'A list, or an expression that gives one.',
    },
    as: text('Name of the item in expressions. The default is item.'),
    concurrency: { ...number('Items at the same time, 1 to 10.'), minimum: 1, maximum: 10 },
    steps: steps('Steps for each item.'),
    output: {
      description:
        'Value of each item after its steps, for the results of the loop. May contain Liquid.',
    },
  },
  parallel: {
    parallel: {
      type: 'array',
      description: 'Two to ten lists of steps that run at the same time.',
      items: { type: 'array', items: { $ref: '#/$defs/step' } },
    },
  },
  race: {
    race: {
      type: 'array',
      description: 'Two to ten lists of steps, of which the first that ends counts.',
      items: { type: 'array', items: { $ref: '#/$defs/step' } },
    },
  },
  stop: {
    stop: { description: 'Status with which the run ends.', enum: ['succeeded', 'failed'] },
    reason: text('Reason that the run shows.'),
  },
  respond: { respond: refer('answer', 'Answer to the sender of the webhook.') },
  set: { set: object('Values by name, which later steps read as vars.NAME. May contain Liquid.') },
  return: { return: object('Values by name, with which the run ends. May contain Liquid.') },
  run_workflow: {
    run_workflow: text('Id of the workflow that is started.'),
    payload: object('Payload of the new run.'),
    contact_id: text('Contact of the new run. The default is the contact of this run.'),
    wait: flag('If false, the step does not wait for the end of the new run.'),
    timeout: refer('wait', 'Time after which the step stops waiting.'),
    on_parent_end: {
      description: 'Effect on the new run when this run is canceled. The default is cancel.',
      enum: ['cancel', 'continue'],
    },
    retry: refer('retry', 'Attempts after the new run has failed, each with another run.'),
  },
};

const TRIGGER_MEMBERS: Record<string, DefinitionSchema> = {
  secret: { type: ['boolean', 'string', 'null'], description: 'True: webhooks must be signed.' },
  overlap_seconds: number('Seconds for which the previous secret stays valid.'),
  tolerance_seconds: number('Greatest age of a signed delivery, in seconds.'),
  wait_seconds: number('Seconds for which an answer waits for the result of the run.'),
  dedupe_seconds: number('Seconds for which a repeated body starts no second run.'),
  signature: {
    description: 'Provider that signs the deliveries, with the secret that it shows.',
    enum: SIGNATURE_PRESETS,
  },
  accept: {
    type: 'array',
    description: 'Formats that deliveries may have besides JSON objects by POST.',
    items: { enum: WEBHOOK_FORMATS },
  },
  headers: {
    type: 'array',
    description: 'Headers of a delivery that expressions see as trigger.headers.',
    items: { type: 'string' },
  },
  verify_token: text('Text that Meta sends when it asks whether the address wants its webhooks.'),
  if: CONDITION,
  contact: object('Fields of the contact that the payload has. It becomes the contact of the run.'),
  limits: refer('limits', 'Limits of the runs of this workflow.'),
  run_timeout_seconds: number(
    'Seconds from the start of a run until it fails, if it has not ended.',
  ),
  cron: text('Times as a cron expression, such as 0 9 * * 1.'),
  timezone: text('Time zone of the cron expression, such as Europe/Vienna. The default is UTC.'),
  missed: {
    description: 'Effect of times at which no worker was running.',
    enum: ['skip', 'run_once'],
  },
  event: refer('event', 'Event that starts a run.'),
};

const OWN_EVENT: DefinitionSchema = {
  ...text('Event of your own, such as custom.order_paid.'),
  pattern: CUSTOM_EVENT_PATTERN.source,
};

const RUNS: DefinitionSchema = {
  ...number('Number of runs, 1 to 1,000.'),
  minimum: 1,
  maximum: 1000,
};

/** Describes definitions of workflows for editors. Saving checks more: expressions, and the arguments of tools. */
export const DEFINITION_SCHEMA: DefinitionSchema = {
  title: 'Definition of a workflow',
  type: 'object',
  required: ['name', 'trigger', 'steps'],
  properties: {
    name: text('Name of the workflow, for people.'),
    trigger: refer('trigger', 'What starts a run.'),
    steps: { ...steps('Steps in the order of execution.'), maxItems: MAX_STEPS },
    on_failure: {
      ...steps('Steps after the run has failed for good. They see the failure as failure.'),
      maxItems: MAX_STEPS,
    },
  },
  $defs: {
    step: { anyOf: WRITTEN_KIND_NAMES.map(stepSchema) },
    trigger: { anyOf: Object.entries(TRIGGER_KEYS).map(triggerSchema) },
    event: { anyOf: [{ enum: EVENT_NAMES }, OWN_EVENT] },
    retry: {
      type: 'object',
      properties: {
        max_attempts: number('Attempts in all, 1 to 10.'),
        backoff_seconds: number('Seconds before the second attempt.'),
        backoff_factor: number('Factor of each further pause.'),
      },
    },
    wait: {
      type: 'object',
      properties: {
        ...Object.fromEntries(
          ['seconds', 'minutes', 'hours', 'days', 'weeks', 'months'].map((unit) => [
            unit,
            duration(unit),
          ]),
        ),
        until: text('RFC 3339 time, local time such as 09:00, or an expression.'),
        timezone: text(
          'Time zone of a local time, or of months. The default is that of the contact.',
        ),
        weekdays: {
          type: 'array',
          description: 'Days on which the pause may end.',
          items: { enum: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] },
        },
      },
    },
    answer: {
      type: 'object',
      properties: {
        status: { type: ['integer', 'string'], description: 'HTTP status. The default is 200.' },
        type: { description: 'Type of the body. The default is json.', enum: ANSWER_TYPE_NAMES },
        headers: object('Headers that begin with x-, and a few others.'),
        body: { description: 'Any value for json, text for the other types.' },
      },
    },
    event_wait: {
      type: 'object',
      required: ['timeout'],
      properties: {
        event: {
          description: 'Event, or resume: a call of the resume URL of the step.',
          anyOf: [{ enum: [...EVENT_NAMES, 'resume'] }, OWN_EVENT],
        },
        events: {
          type: 'array',
          description: 'Instead of event: 2 to 10 events, of which the first one counts.',
          items: { $ref: '#/$defs/event' },
        },
        if: CONDITION,
        any_contact: flag('If true, events about other contacts count too.'),
        timeout: refer('wait', 'Longest pause.'),
      },
    },
    limits: {
      type: 'object',
      properties: {
        concurrency: {
          type: 'object',
          description: 'Limits runs at the same time.',
          properties: { runs: RUNS, runs_per_key: RUNS, key: text('Expression for the key.') },
        },
        rate: {
          type: 'object',
          description: 'Limits runs in a time.',
          required: ['runs', 'per_seconds'],
          properties: { runs: RUNS, per_seconds: number('Length of the time in seconds.') },
        },
        debounce: {
          type: 'object',
          description: 'Executes the last of several starts.',
          required: ['seconds'],
          properties: {
            seconds: number('Seconds without another start.'),
            max_seconds: number('Longest delay in seconds.'),
            key: text('Expression. Only starts with the same key delay each other.'),
          },
        },
      },
    },
  },
};

function stepSchema(name: WrittenKindName): DefinitionSchema {
  const [mark = name] = STEP_KINDS[name].marks;
  return {
    title: name,
    type: 'object',
    required: ['id', ...(name === 'branch' ? ['if'] : []), mark],
    properties: { ...COMMON, ...MEMBERS[name] },
  };
}

function triggerSchema([name, keys]: [string, readonly string[]]): DefinitionSchema {
  const own = keys.flatMap((key): [string, DefinitionSchema][] => {
    const member = TRIGGER_MEMBERS[key];
    return member ? [[key, member]] : [];
  });
  const type: DefinitionSchema = {
    description: 'Kind of the trigger.',
    enum: [name],
  };
  return {
    title: name,
    type: 'object',
    required: ['type'],
    properties: { type, ...Object.fromEntries(own) },
  };
}
