import { AppError } from '../../errors/app-error.js';
import { isJsonObject } from '../../text/is-json-object.js';
import { VALUE_LIMITS } from '../../text/value-size.js';
import type { Step } from './definition.js';
import type { StepKind } from './steps/step-kind.js';
import { STEP_KINDS } from './steps/step-kinds.js';
import {
  MAX_DEFINITION_BYTES,
  MAX_ID_LENGTH,
  MAX_NESTING,
  MAX_STEPS,
} from './steps/step-parser.js';

/**
 * The largest number of characters in the JSON of the steps. This is twice the limit for saving, because stored steps
 * also have defaults and a generated failure step.
 */
const MOST_CHARACTERS = 2 * MAX_DEFINITION_BYTES;
/**
 * The most bytes of the JSON of steps that a list of workflows reads from the database. The limit for saving is a
 * quarter of it.
 */
export const MAX_STORED_BYTES = 4 * MAX_DEFINITION_BYTES;
/** The largest number of lists of steps. A step of a saved definition adds at most three lists that are empty. */
const MAX_LISTS = 4 * MAX_STEPS;

const KINDS: readonly StepKind[] = Object.values(STEP_KINDS);

/** The error of a stored definition that is larger than a definition can be when it is saved. */
export class DefinitionTooLargeError extends AppError {
  constructor(workflowId?: string) {
    super(
      'payload_too_large',
      `The stored definition of ${workflowId ?? 'this workflow'} has more than ${MAX_STEPS} steps or ` +
        `${MAX_DEFINITION_BYTES} bytes, is nested deeper than ${MAX_NESTING} levels, or has an id with more than ` +
        `${MAX_ID_LENGTH} characters. Only SQL can store such a definition. Delete the workflow.`,
    );
  }
}

/**
 * Returns the steps of a stored version. Throws {@link DefinitionTooLargeError} when they exceed the limits that are
 * checked when a definition is saved, and for null, which stands for steps that are too large to be read. The error
 * names the workflow if its id is given. SQL of a tool can store such steps. Without this check, functions that visit
 * all steps would block the process, exceed its stack, or fill its memory. The check itself visits at most as many
 * values as a saved definition can have.
 */
export function readStoredSteps<T extends readonly Step[]>(
  steps: T | null,
  workflowId?: string,
): T {
  if (!steps || !isShort(steps) || !hasFewSteps(steps)) {
    throw new DefinitionTooLargeError(workflowId);
  }
  return steps;
}

/** Returns true when the JSON of a value is short and not nested deeply. Counts without recursion, level by level. */
function isShort(value: unknown): boolean {
  let left = MOST_CHARACTERS;
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > VALUE_LIMITS.depth) return false;
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item === 'string') left -= item.length + 2;
      else if (Array.isArray(item)) {
        // The limit is checked before the items are copied, because there may be millions.
        left -= item.length + 1;
        if (left < 0) return false;
        for (const inner of item as unknown[]) next.push(inner);
      } else if (isJsonObject(item)) {
        left -= 2;
        for (const [name, inner] of Object.entries(item)) {
          left -= name.length + 3;
          next.push(inner);
        }
      } else left -= 1;
      if (left < 0) return false;
    }
    level = next;
  }
  return true;
}

/**
 * Returns true when the steps, with the generated failure step, are not more and not deeper than saving allows, and no
 * id is longer. Without the check of ids, PostgreSQL would refuse the rows of a step whose path is too long.
 */
function hasFewSteps(steps: readonly unknown[]): boolean {
  let [count, lists] = [0, 0];
  let level: (readonly unknown[])[] = [steps];
  // The list of the failure step is inside the list of all steps.
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: (readonly unknown[])[] = [];
    for (const list of level) {
      count += list.length;
      lists += 1;
      if (count > MAX_STEPS + 1 || lists > MAX_LISTS || list.some(hasLongId)) return false;
      for (const inner of list.map(listsOf)) {
        for (const one of inner) if (Array.isArray(one)) next.push(one as unknown[]);
      }
    }
    if (depth > MAX_NESTING) return false;
    level = next;
  }
  return true;
}

function hasLongId(step: unknown): boolean {
  return isJsonObject(step) && typeof step.id === 'string' && step.id.length > MAX_ID_LENGTH;
}

/**
 * Returns the lists of steps in a stored step. Returns no inner lists for a step whose kind is unknown or whose form is
 * wrong, because each function that visits the steps throws at this step.
 */
function listsOf(step: unknown): unknown[] {
  if (!isJsonObject(step)) return [];
  const kind = KINDS.find(({ marks }) => marks.some((mark) => mark in step));
  try {
    const inner = kind?.lists?.(step as object as Step) ?? [];
    return [...inner.map(({ steps }) => steps), step.on_error];
  } catch {
    return [];
  }
}
