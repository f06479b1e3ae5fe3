import type { FaultList } from '../../../errors/fault-list.js';
import { isJsonObject } from '../../../text/is-json-object.js';
import type { OnError, Step } from '../definition.js';
import { checkKeys, type Json } from '../step-fields.js';

export const MAX_STEPS = 500;
export const MAX_NESTING = 10;
/** The largest JSON text of `steps` and `on_failure` together, in bytes. */
export const MAX_DEFINITION_BYTES = 256 * 1024;

export const MAX_ID_LENGTH = 64;
export const STEP_ID = /^[a-z][a-z0-9_]{0,63}$/;
/** The names that have another meaning in expressions: the variables of a run, and the words of conditions. */
const RESERVED = new Set(
  'contact trigger run workflow secrets vars true false nil null empty blank and or not contains'.split(
    ' ',
  ),
);
const MAX_TEXT = 10_000;

export interface StepForm<S extends Step = Step> {
  /** The members by which a step of this kind is recognized. */
  readonly marks: readonly string[];
  /** The name of the kind in the error message for a step of no known kind. Empty for a kind that is generated. */
  readonly hint: string;
  /** The members that a step of this kind may have besides `id`, `if` and `on_error`. */
  readonly keys: readonly string[];
  parse(given: Json, path: string, parser: StepParser): Omit<S, 'id' | 'if' | 'on_error'>;
}

/** Parses steps of every kind. Adds every fault with its path. If there are faults, the steps must not be used. */
export class StepParser {
  private readonly ids = new Set<string>();
  private count = 0;
  private depth = 0;

  constructor(
    private readonly kinds: readonly StepForm[],
    readonly faults: FaultList,
  ) {}

  parseAll(given: unknown, path: string): Step[] {
    const steps = this.list(given, path);
    if (this.count > MAX_STEPS) {
      this.fault(path, `must have at most ${MAX_STEPS} steps, including nested steps`);
    }
    return steps;
  }

  list(given: unknown, path: string): Step[] {
    if (!Array.isArray(given)) {
      this.fault(path, 'must be a list of steps');
      return [];
    }
    if (this.depth >= MAX_NESTING) {
      this.fault(path, `is nested deeper than ${MAX_NESTING} levels`);
      return [];
    }
    this.count += given.length;
    this.depth += 1;
    // A huge list would otherwise produce a fault for every step beyond the limit.
    const steps = given
      .slice(0, MAX_STEPS + 1)
      .map((step, index) => this.step(step, `${path}[${index}]`))
      .filter((step) => step !== undefined);
    this.depth -= 1;
    return steps;
  }

  nonEmptyList(given: unknown, path: string): Step[] {
    if (Array.isArray(given) && given.length === 0) {
      this.fault(path, 'must have at least one step');
    }
    return this.list(given, path);
  }

  text(given: unknown, path: string): string {
    if (typeof given === 'string' && given.trim() !== '' && given.length <= MAX_TEXT) return given;
    this.fault(
      path,
      given === undefined ? 'is required' : `must be text of 1 to ${MAX_TEXT} characters`,
    );
    return '';
  }

  /** Returns the member `if` of the parsed step, or nothing when the step has no condition. */
  condition(given: Json, path: string): { if?: string } {
    return given.if === undefined ? {} : { if: this.text(given.if, `${path}.if`) };
  }

  fault(path: string, message: string): void {
    this.faults.push({ path, message });
  }

  private step(given: unknown, path: string): Step | undefined {
    if (!isJsonObject(given)) {
      this.fault(path, 'must be an object');
      return undefined;
    }
    const kind = this.kinds.find(({ marks }) => marks.some((mark) => Object.hasOwn(given, mark)));
    if (!kind) {
      const known = this.kinds.flatMap(({ keys, hint }) => (hint === '' ? [] : keys));
      checkKeys(given, path, ['id', 'if', ...known, 'on_error'], this.faults);
      const hints = this.kinds.map(({ hint }) => hint).filter((hint) => hint !== '');
      this.fault(path, `needs ${hints.slice(0, -1).join(', ')}, or ${hints.at(-1)}`);
      return undefined;
    }
    checkKeys(given, path, ['id', 'if', ...kind.keys, 'on_error'], this.faults);
    const id = this.id(given.id, `${path}.id`);
    const onError = this.onError(given.on_error, `${path}.on_error`);
    return {
      id,
      ...this.condition(given, path),
      ...kind.parse(given, path, this),
      ...(onError !== undefined && { on_error: onError }),
    } as Step;
  }

  private onError(given: unknown, path: string): OnError | undefined {
    if (given === undefined || given === 'fail' || given === 'continue') return given;
    if (Array.isArray(given)) return this.list(given, path);
    this.fault(path, 'must be "fail", "continue" or a list of steps');
    return undefined;
  }

  private id(given: unknown, path: string): string {
    if (typeof given !== 'string' || !STEP_ID.test(given)) {
      this.fault(path, given === undefined ? 'is required' : `must match ${STEP_ID.source}`);
      return '';
    }
    if (RESERVED.has(given)) {
      this.fault(path, `must not be "${given}": expressions use that name`);
    } else if (this.ids.has(given)) this.fault(path, `"${given}" is the id of another step`);
    this.ids.add(given);
    return given;
  }
}
