import type { Fault } from '../../errors/app-error.js';
import type { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { didYouMean } from '../../text/nearest-names.js';
import type { Step } from './definition.js';
import { getLimitKeys, type RunLimits } from './run-limits.js';
import {
  collectFaults,
  type DefinitionChecks,
  type ListContext,
  rootOf,
  StepChecks,
  type StepTools,
} from './steps/step-checks.js';
import { everyStep, kindOf, parseSteps } from './steps/step-kinds.js';

/** The variables that expressions of a trigger can use: there is no run yet. */
const TRIGGER_ROOTS = ['trigger', 'contact'];
const MAX_BYTES = 256 * 1024;
/** `<run id>:<path>` is the idempotency key of calls outside, which may have 255 characters. */
const MAX_PATH = 200;

/** Finds every fault of a definition when it is saved, so that runs fail only for reasons unknown at that time. */
export class DefinitionChecker {
  constructor(
    private readonly tools: StepTools,
    private readonly liquid: LiquidSandbox,
  ) {}

  /** Parses and checks steps. Adds every fault with its path; use the result only if there is no fault. */
  check(given: unknown, faults: Fault[]): Step[] {
    if (Buffer.byteLength(JSON.stringify(given)) > MAX_BYTES) {
      faults.push({ path: 'steps', message: `must be at most ${MAX_BYTES} bytes` });
      return [];
    }
    const found: Fault[] = [];
    const steps = parseSteps(given, found);
    // Expressions and tools are checked even when the form is wrong, so that one response lists all faults.
    const checks: DefinitionChecks = {
      tools: this.tools,
      liquid: this.liquid,
      faults: found,
      ids: new Set(everyStep(steps).map(({ id }) => id)),
      list: (list, path, context) => checkList(list, path, context, checks),
    };
    checks.list(steps, 'steps', { visible: new Set(), prefixLength: 0 });
    faults.push(...found);
    return steps;
  }

  /** Adds a fault when the condition of a trigger is invalid or refers to a variable that only a run has. */
  checkTrigger(condition: string, faults: Fault[]): void {
    collectFaults('trigger.if', faults, () => {
      checkTriggerReferences(this.liquid.conditionReferences(condition), 'trigger.if', faults);
    });
  }

  /** Adds a fault for each key of limits that is invalid or refers to a variable that only a run has. */
  checkLimits(limits: RunLimits, faults: Fault[]): void {
    for (const [path, key] of getLimitKeys(limits, 'trigger.limits')) {
      collectFaults(path, faults, () => {
        checkTriggerReferences(this.liquid.references(key), path, faults);
      });
    }
  }
}

function checkTriggerReferences(
  references: readonly string[],
  path: string,
  faults: Fault[],
): void {
  for (const root of new Set(references.map(rootOf))) {
    if (TRIGGER_ROOTS.includes(root)) continue;
    const near = didYouMean(root, TRIGGER_ROOTS);
    const message = `refers to "${root}", which is neither ${TRIGGER_ROOTS.join(' nor ')}.${near}`;
    faults.push({ path, message });
  }
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
    kindOf(step).check(
      step,
      at,
      new StepChecks(checks, { visible: new Set(earlier), prefixLength }),
    );
    earlier.add(step.id);
    if (Array.isArray(step.on_error)) {
      checkList(step.on_error, `${at}.on_error`, { visible: earlier, prefixLength }, checks);
    }
    for (const id of leavesOf(step)) earlier.add(id);
  }
}

function leavesOf(step: Step): string[] {
  const leaves = kindOf(step).leaves?.(step) ?? [];
  return leaves.flatMap((leaf) => [leaf.id, ...leavesOf(leaf)]);
}
