import type { Fault } from '../../errors/app-error.js';
import type { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { didYouMean } from '../../text/nearest-names.js';
import { everyStep, parseSteps, type Step } from './definition.js';
import { limitKeys, type RunLimits } from './run-limits.js';
import {
  type Around,
  collect,
  type DefinitionChecks,
  rootOf,
  StepChecks,
  type StepTools,
} from './steps/step-checks.js';
import { kindOf } from './steps/step-kinds.js';

/** What is known before there is a run. */
const TRIGGER_ROOTS = ['trigger', 'contact'];
const MAX_BYTES = 256 * 1024;
/** With the id of the run before it, it is the idempotency key of calls outside, which may have 255 characters. */
const MAX_KEY = 200;

/** Finds every fault of a definition when it is saved, so that a run meets only what nobody could have known. */
export class DefinitionChecker {
  constructor(
    private readonly tools: StepTools,
    private readonly liquid: LiquidSandbox,
  ) {}

  /** The steps as they are stored; adds every fault with its path, and then they are not to be used. */
  check(given: unknown, faults: Fault[]): Step[] {
    if (Buffer.byteLength(JSON.stringify(given)) > MAX_BYTES) {
      faults.push({ path: 'steps', message: `must be at most ${MAX_BYTES} bytes` });
      return [];
    }
    const found: Fault[] = [];
    const steps = parseSteps(given, found);
    // Expressions and tools are judged even when a form is wrong elsewhere: all faults in one answer.
    const checks: DefinitionChecks = {
      tools: this.tools,
      liquid: this.liquid,
      faults: found,
      ids: new Set(everyStep(steps).map(({ id }) => id)),
      list: (list, path, around) => checkList(list, path, around, checks),
    };
    checks.list(steps, 'steps', { visible: new Set(), prefixLength: 0 });
    faults.push(...found);
    return steps;
  }

  /** Adds a fault when a trigger's condition could not be evaluated before there is a run. */
  checkTrigger(condition: string, faults: Fault[]): void {
    collect('trigger.if', faults, () => {
      checkTriggerReferences(this.liquid.conditionReferences(condition), 'trigger.if', faults);
    });
  }

  /** Adds a fault for each key of limits that could not be evaluated before there is a run. */
  checkLimits(limits: RunLimits, faults: Fault[]): void {
    for (const [path, key] of limitKeys(limits, 'trigger.limits')) {
      collect(path, faults, () => {
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
  around: Around,
  checks: DefinitionChecks,
): void {
  const { prefixLength } = around;
  const earlier = new Set(around.visible);
  for (const [index, step] of steps.entries()) {
    const at = `${path}[${index}]`;
    if (prefixLength + step.id.length > MAX_KEY) {
      const message = `makes, with the ids of the loops around it, a name of more than ${MAX_KEY} characters`;
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
