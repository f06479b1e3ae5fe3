import { CUSTOM_EVENT_PATTERN } from '../../events/custom-event-name.js';
import { EVENT_NAMES } from '../../events/domain-events.js';
import {
  type DefinitionSchema,
  duration,
  flag,
  number,
  object,
  refer,
  steps,
  text,
} from './schema-parts.js';
import { STEP_MEMBERS } from './step-members.js';
import { STEP_KINDS, WRITTEN_KIND_NAMES, type WrittenKindName } from './steps/step-kinds.js';
import { MAX_STEPS, STEP_ID } from './steps/step-parser.js';
import { TRIGGER_KEYS } from './trigger.js';
import { ANSWER_TYPE_NAMES } from './webhook-answer.js';
import { WEBHOOK_FORMATS } from './webhook-formats.js';
import { SIGNATURE_PRESETS } from './webhook-options.js';

const CONDITION = text("Condition without braces, such as trigger.payload.plan == 'pro'.");

const COMMON: Record<string, DefinitionSchema> = {
  id: {
    ...text('Unique name of the step. Later steps read its result by this name.'),
    pattern: STEP_ID.source,
  },
  if: CONDITION,
  on_error: {
    description: 'Effect of a failure: the run fails, goes on, or goes on with these steps.',
    anyOf: [{ enum: ['fail', 'continue'] }, steps('Steps after a failure.')],
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
  segment: text('Id of a segment. Only its contacts start runs, when they enter or leave it.'),
  if: CONDITION,
  contact: object('Fields of the contact in the payload. The run gets this contact.'),
  limits: refer('limits', 'Limits of the runs of this workflow.'),
  run_timeout_seconds: number(
    'Seconds from the start of a run until it fails, if it has not ended.',
  ),
  cron: text('Times as a cron expression, such as 0 9 * * 1.'),
  timezone: text('Time zone of the cron expression, such as Europe/Vienna. The default is UTC.'),
  missed: {
    description: 'Effect of the times at which no worker was running.',
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

/**
 * The JSON Schema of definitions of workflows, for editors. Saving checks more: expressions, and the arguments of
 * tools.
 */
export const DEFINITION_SCHEMA: DefinitionSchema = {
  title: 'Definition of a workflow',
  type: 'object',
  required: ['name', 'trigger', 'steps'],
  properties: {
    name: text('Name of the workflow, for people.'),
    trigger: refer('trigger', 'What starts a run.'),
    steps: { ...steps('Steps in the order of execution.'), maxItems: MAX_STEPS },
    on_failure: {
      ...steps('Steps that run after the run has failed. They read the error as failure.error.'),
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
          description: 'Days on which the wait may end.',
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
          description: 'Instead of event: 2 to 10 events. The first ends the wait.',
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
          description: 'Limits simultaneous runs.',
          properties: { runs: RUNS, runs_per_key: RUNS, key: text('Expression for the key.') },
        },
        rate: {
          type: 'object',
          description: 'Limits the run rate.',
          required: ['runs', 'per_seconds'],
          properties: { runs: RUNS, per_seconds: number('Length of the period, seconds.') },
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
    properties: { ...COMMON, ...STEP_MEMBERS[name] },
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
