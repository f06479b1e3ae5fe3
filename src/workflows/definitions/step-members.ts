import { type DefinitionSchema, flag, number, object, refer, steps, text } from './schema-parts.js';
import type { WrittenKindName } from './steps/step-kinds.js';

/** The members of each kind of step. A test compares them with the parsers. */
export const STEP_MEMBERS: Record<WrittenKindName, Record<string, DefinitionSchema>> = {
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
    then: steps('Steps if the condition is true.'),
    else: steps('Steps if the condition is false.'),
  },
  wait: { wait: refer('wait', 'Wait of the run.') },
  event_wait: { wait_for_event: refer('event_wait', 'Wait for an event, or a timeout.') },
  for_each: {
    for_each: {
      type: ['string', 'array'],
      description: 'A list, or an expression that returns one.',
    },
    pages: steps('Steps that read one page. They see cursor, which is null for the first page.'),
    next: text('Expression for the cursor of the next page; null after the last page.'),
    batch: {
      ...number('The steps get lists of this many items, 1 to 1,000.'),
      minimum: 1,
      maximum: 1000,
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
      description: 'Two to ten lists of steps. The first list to end wins.',
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
