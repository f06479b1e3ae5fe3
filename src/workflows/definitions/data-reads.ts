import { AppError } from '../../errors/app-error.js';
import type { Expressions } from '../../liquid/read-expressions.js';
import type { TemplateReading } from '../../liquid/template-reading.js';
import type { Step, ToolStep } from './definition.js';
import { isDynamic, visitTexts } from './step-fields.js';
import { isEventWait } from './steps/event-wait-step.js';
import { splitSteps, stepsView } from './steps/failure-step.js';
import { isRunWorkflow } from './steps/run-workflow-step.js';
import { innerListsOf } from './steps/step-kinds.js';
import { isTool } from './steps/tool-step.js';
import type { TriggerOptions } from './trigger.js';

/** Data that a definition reads, with the path where it does so and the tools that show this data to an agent. */
export interface DataRead {
  readonly path: string;
  /** A text about the data, for example `reads the contact`. Error messages contain this text after the path. */
  readonly action: string;
  readonly tools: readonly string[];
}

/** A definition, or the parts of it that are to be checked. */
export interface DefinitionParts {
  readonly trigger?: TriggerOptions;
  readonly steps?: readonly Step[];
}

/** A caller that may call this tool may also resume runs. So this caller may read resume URLs. */
const RESUMES = 'trigger_workflow';

/** The tools that show the data of events, by the first part of the name of the event. */
const TOOLS_OF_EVENTS: Readonly<Record<string, readonly string[]>> = {
  contact: ['get_contact'],
  segment: ['get_contact'],
  // The texts of messages, the errors of runs and the data of custom events can contain resume URLs.
  message: ['get_message', RESUMES],
  run: ['get_run', RESUMES],
  custom: ['get_run', RESUMES],
};

/** The tools whose results can contain resume URLs of other runs. */
const SHOW_RESUME_URLS: readonly string[] = [
  'get_message',
  'list_messages',
  'cancel_message',
  'record_message',
  'report_delivery',
  'resolve_message',
  'get_run',
  'list_runs',
  'cancel_run',
  'retry_run',
];

/**
 * Returns each place that reads data, such as the contact, and the tools that show this data. An API key with a list of
 * tools can save the definition only if the list contains these tools, even if no step calls them.
 */
export function dataReadsOf(parts: DefinitionParts, expressions: Expressions): DataRead[] {
  const { trigger = {}, steps: joined = [] } = parts;
  const { steps, onFailure } = splitSteps(joined);
  const events = trigger.event === undefined ? [] : readsOfEvent(trigger.event, 'trigger.event');
  const conditions: [text: string | undefined, path: string][] = [[trigger.if, 'trigger.if']];
  const found = [...events];
  for (const [step, path] of [...placesOf(steps, 'steps'), ...placesOf(onFailure, 'on_failure')]) {
    conditions.push([step.if, `${path}.if`]);
    found.push(...readsOfStep(step, path));
    if (isEventWait(step)) conditions.push([step.wait_for_event.if, `${path}.wait_for_event.if`]);
  }
  for (const [text, path] of conditions) {
    if (!text) continue;
    found.push(...readsIn(() => expressions.conditionReading(text), path));
  }
  visitTexts({ trigger, ...stepsView(joined) }, '', (text, path) => {
    if (!isDynamic(text)) return;
    found.push(...readsIn(() => expressions.reading(text), path.slice(1)));
  });
  return found;
}

function* placesOf(steps: readonly Step[], path: string): Generator<[step: Step, path: string]> {
  for (const [index, step] of steps.entries()) {
    const at = `${path}[${index}]`;
    yield [step, at];
    if (Array.isArray(step.on_error)) yield* placesOf(step.on_error, `${at}.on_error`);
    for (const { member, steps: inner } of innerListsOf(step)) {
      yield* placesOf(inner, `${at}.${member}`);
    }
  }
}

function readsOfStep(step: Step, path: string): DataRead[] {
  if (isTool(step) && SHOW_RESUME_URLS.includes(step.tool)) {
    return [{ path: `${path}.tool`, action: 'can read resume URLs', tools: [RESUMES] }];
  }
  if (isTool(step) && step.tool === 'send_message') return readsOfMessage(step, path);
  if (isRunWorkflow(step) && step.wait !== false) {
    return [
      { path: `${path}.run_workflow`, action: 'reads the result of a run', tools: ['get_run'] },
    ];
  }
  if (!isEventWait(step)) return [];
  const { event, events = event === undefined ? [] : [event] } = step.wait_for_event;
  return events.flatMap((name) => readsOfEvent(name, `${path}.wait_for_event`));
}

/**
 * Returns a read for each part of a message that can read the contact when it is sent. With variables, or in a digest,
 * the value of an expression is rendered again as a template, and this template can come from the payload.
 */
function readsOfMessage({ arguments: given = {} }: ToolStep, path: string): DataRead[] {
  if (given.variables === undefined && given.digest === undefined) return [];
  return ['subject', 'body', 'html'].flatMap((part) => {
    const text = given[part];
    if (typeof text !== 'string' || !isDynamic(text)) return [];
    const action = 'is a template that can read the contact';
    return [{ path: `${path}.arguments.${part}`, action, tools: ['get_contact'] }];
  });
}

function readsOfEvent(name: string, path: string): DataRead[] {
  const tools = TOOLS_OF_EVENTS[name.split('.')[0]!];
  return tools ? [{ path, action: `reads the event ${name}`, tools }] : [];
}

/** Returns the reads of an expression. An expression that is invalid reads nothing, and is reported elsewhere. */
function readsIn(reading: () => TemplateReading, path: string): DataRead[] {
  const reads = readsOr(reading);
  const found: DataRead[] = [];
  if (reads.includes('')) {
    const tools = ['get_contact', RESUMES];
    found.push({ path, action: 'computes the name of a variable', tools });
  }
  if (reads.some((read) => /^contact(?:\.|$)/.test(read))) {
    found.push({ path, action: 'reads the contact', tools: ['get_contact'] });
  }
  if (reads.some((read) => /^run(?!\.id$)(?:\.|$)/.test(read))) {
    found.push({ path, action: 'reads resume URLs', tools: [RESUMES] });
  }
  return found;
}

function readsOr(reading: () => TemplateReading): readonly string[] {
  try {
    return reading().reads;
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}
