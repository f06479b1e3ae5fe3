import type { Step } from './definition.js';
import { isDynamic, visitTexts } from './step-fields.js';
import { isRespond } from './steps/respond-step.js';
import { everyStep } from './steps/step-kinds.js';
import type { TriggerOptions } from './trigger.js';
import type { WebhookNeeds } from './webhook-options.js';

/**
 * Matches every computed name of a variable, and every use of `trigger` except `trigger.type` and `trigger.payload`.
 */
const READS_REQUEST =
  /(?<![\w.-])trigger(?![\w-])(?!\s*\.\s*(?:type|payload)(?![\w-]))|(?<![\w\]])\[/;

/**
 * Computes the needs of a definition. The result may contain a need that no run has, but it contains every need that a
 * run has.
 */
export function webhookNeeds(options: TriggerOptions, steps: readonly Step[]): WebhookNeeds {
  const expressions: string[] = [];
  visitTexts([options, steps], '', (text, path) => {
    if (path.endsWith('.if') || isDynamic(text)) expressions.push(text);
  });
  return {
    ...(expressions.some((text) => READS_REQUEST.test(text)) && { request: true }),
    ...(everyStep(steps).some(isRespond) && { answer: true }),
  };
}
