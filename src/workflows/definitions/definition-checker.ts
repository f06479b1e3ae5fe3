import { FaultList } from '../../errors/fault-list.js';
import type { Expressions } from '../../liquid/read-expressions.js';
import type { Step } from './definition.js';
import { FAILURE, joinSteps } from './steps/failure-step.js';
import { getLimitKeys, type RunLimits } from './run-limits.js';
import {
  checkAssigned,
  collectFaults,
  type DefinitionChecks,
  checkRoots,
  memberFault,
  StepChecks,
  type StepTools,
} from './steps/step-checks.js';
import { isResumable } from './steps/event-wait-step.js';
import { type SetsBefore, setsBefore, VisibleNames } from './set-variables.js';
import type { InnerList } from './steps/step-kind.js';
import { isReturn } from './steps/return-step.js';
import { isSet } from './steps/set-step.js';
import { isTool } from './steps/tool-step.js';
import { everyStep, innerListsOf, kindOf, parseSteps } from './steps/step-kinds.js';
import { MAX_DEFINITION_BYTES } from './steps/step-parser.js';

/** The only variables that expressions of a trigger can use, because there is no run yet. */
const TRIGGER_ROOTS = ['trigger', 'contact'];
const EMPTY_BYTES = bytesOf([]);
/**
 * The longest path, in characters. Idempotency keys of external calls contain paths and may have 255 characters
 * (`step-key.ts`).
 */
const MAX_PATH = 200;

/** Finds every fault of a definition when it is saved, so that runs fail only for reasons unknown at that time. */
export class DefinitionChecker {
  constructor(
    private readonly tools: StepTools,
    private readonly liquid: Expressions,
  ) {}

  /**
   * Parses and checks the lists `steps` and `on_failure`, and returns them as one list. Adds every fault with its path.
   * If there are faults, the result must not be used.
   */
  check(given: unknown, faults: FaultList, onFailureGiven?: unknown): Step[] {
    if (bytesOf(given) + bytesOf(onFailureGiven ?? []) > MAX_DEFINITION_BYTES + EMPTY_BYTES) {
      faults.push({ path: 'steps', message: `must be at most ${MAX_DEFINITION_BYTES} bytes` });
      return [];
    }
    const found = new FaultList();
    const { steps: main, onFailure } = parseSteps(given, found, onFailureGiven);
    const steps = joinSteps({ steps: main, onFailure });
    // Expressions and tools are checked even when the form is wrong, so that one response lists all faults.
    const checks: DefinitionChecks = {
      tools: this.tools,
      liquid: this.liquid,
      faults: found,
      ids: new Set(everyStep(steps).map(({ id }) => id)),
      resumable: new Set(
        everyStep(steps)
          .filter(isResumable)
          .map(({ id }) => id),
      ),
      toolsOfSteps: new Map(
        everyStep(steps)
          .filter(isTool)
          .map(({ id, tool }) => [id, tool]),
      ),
      setSteps: new Set(
        everyStep(steps)
          .filter(isSet)
          .map(({ id }) => id),
      ),
    };
    const context = {
      sets: setsBefore(steps),
      names: new VisibleNames(),
      prefixLength: 0,
      hasFailure: onFailure.length > 0,
      isAfterFailure: false,
    };
    checkList(main, 'steps', { ...context, visible: new Set() }, checks);
    const visible = new Set([FAILURE, ...idsOutsideLoops(main)]);
    checkList(onFailure, 'on_failure', { ...context, visible, isAfterFailure: true }, checks);
    faults.append(found);
    return steps;
  }

  /** Adds a fault for each expression of a trigger that is invalid or refers to a variable that only a run has. */
  checkTrigger(trigger: { if?: string; limits?: RunLimits }, faults: FaultList): void {
    const { if: condition, limits = {} } = trigger;
    if (condition !== undefined) {
      collectFaults('trigger.if', faults, () => {
        checkTriggerRoots(this.liquid.conditionReferences(condition), 'trigger.if', faults);
      });
    }
    for (const [path, key] of getLimitKeys(limits, 'trigger.limits')) {
      collectFaults(path, faults, () => {
        const { references, assigned } = this.liquid.reading(key);
        checkAssigned(assigned, path, faults);
        checkTriggerRoots(references, path, faults);
      });
    }
  }
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function checkTriggerRoots(references: readonly string[], path: string, faults: FaultList): void {
  checkRoots(references, TRIGGER_ROOTS, TRIGGER_ROOTS.join(' nor '), path, faults);
  for (const reference of new Set(references)) {
    const message = memberFault(reference);
    if (message !== undefined) faults.push({ path, message });
  }
}

/** The facts about earlier and outer steps that the checks of a list need. */
interface ListContext {
  /** The step ids and loop variables to which expressions can refer. */
  readonly visible: ReadonlySet<string>;
  readonly sets: SetsBefore;
  readonly names: VisibleNames;
  /** The largest number of characters that can precede a step id in its journal path. */
  readonly prefixLength: number;
  /** True if the definition has steps in `on_failure`. Then no step may have the name `failure`. */
  readonly hasFailure: boolean;
  readonly isAfterFailure: boolean;
}

function checkList(
  steps: readonly Step[],
  path: string,
  context: ListContext,
  checks: DefinitionChecks,
): void {
  const { prefixLength } = context;
  const earlier = new Set(context.visible);
  for (const [index, step] of steps.entries()) {
    const at = `${path}[${index}]`;
    if (prefixLength + step.id.length > MAX_PATH) {
      const message = `together with the ids of the loops around it has more than ${MAX_PATH} characters; use shorter ids`;
      checks.faults.push({ path: `${at}.id`, message });
    }
    checkFailureRules(step, at, context, checks);
    const stepChecks = new StepChecks(checks, earlier, varsAt(step.id, context));
    stepChecks.condition(step.if, `${at}.if`);
    kindOf(step).check?.(step, at, stepChecks);
    // Inner steps can be skipped. So expressions after their list cannot refer to them.
    for (const list of innerListsOf(step)) {
      const { member, steps: inner, loop } = list;
      const visible = new Set([...earlier, ...(loop?.names ?? [])]);
      const innerLength = prefixLength + (loop?.longestPrefix.length ?? 0);
      const innerContext = { ...context, visible, prefixLength: innerLength };
      checkList(inner, `${at}.${member}`, innerContext, checks);
      checkAfterList(step, list, at, innerContext, checks);
    }
    earlier.add(step.id);
    if (Array.isArray(step.on_error)) {
      checkList(step.on_error, `${at}.on_error`, { ...context, visible: earlier }, checks);
    }
    for (const id of leavesOf(step)) earlier.add(id);
  }
}

/** Checks the expressions that are evaluated after the steps of an iteration or a page. */
function checkAfterList(
  step: Step,
  { steps, after = {}, readerId = step.id }: InnerList,
  path: string,
  context: ListContext,
  checks: DefinitionChecks,
): void {
  const inner = steps.flatMap((one) => [one.id, ...leavesOf(one)]);
  const stepChecks = new StepChecks(
    checks,
    new Set([...context.visible, ...inner]),
    varsAt(readerId, context),
  );
  for (const [member, value] of Object.entries(after)) stepChecks.value(value, `${path}.${member}`);
}

/**
 * Returns the names of the values that are set by the steps before the given step. The result is valid until the next
 * call.
 */
function varsAt(id: string, { sets, names }: ListContext): ReturnType<VisibleNames['at']> {
  return names.at(sets.get(id));
}

function checkFailureRules(
  step: Step,
  path: string,
  { hasFailure, isAfterFailure }: ListContext,
  { faults }: DefinitionChecks,
): void {
  if (hasFailure && step.id === FAILURE) {
    const message = `must not be "${FAILURE}": expressions of on_failure use that name`;
    faults.push({ path: `${path}.id`, message });
  }
  if (isAfterFailure && ('stop' in step || isReturn(step))) {
    const message = 'must not be in on_failure: the run has already failed. Use conditions instead';
    faults.push({ path: `${path}.${isReturn(step) ? 'return' : 'stop'}`, message });
  }
}

/** Returns the ids of the steps outside of loops. The value of such a step is null if the step has not run. */
function idsOutsideLoops(steps: readonly Step[]): string[] {
  return steps.flatMap((step) => [
    step.id,
    ...(Array.isArray(step.on_error) ? idsOutsideLoops(step.on_error) : []),
    ...innerListsOf(step).flatMap(({ steps: inner, loop }) => (loop ? [] : idsOutsideLoops(inner))),
  ]);
}

function leavesOf(step: Step): string[] {
  const leaves = kindOf(step).leaves?.(step) ?? [];
  return leaves.flatMap((leaf) => [leaf.id, ...leavesOf(leaf)]);
}
