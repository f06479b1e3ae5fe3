import { AppError, type Fault } from '../errors/app-error.js';
import type { LiquidSandbox } from '../liquid/liquid-sandbox.js';
import { didYouMean } from '../tools/nearest-names.js';
import type { ToolDescriptor } from '../tools/registered-tool.js';
import { isDynamic, isTool, isWait, parseSteps, type Step, type ToolStep } from './definition.js';
import { checkStatic } from './static-arguments.js';
import { MAX_INTERNAL_TIMEOUT_SECONDS } from './step-options.js';

const ROOTS = ['trigger', 'contact', 'run', 'workflow'];
/** What is known before there is a run. */
const TRIGGER_ROOTS = ['trigger', 'contact'];
const MAX_BYTES = 256 * 1024;

/** The tools that steps may name. */
export interface StepTools {
  find(name: string): ToolDescriptor | undefined;
  names(): string[];
  /** True of a tool that must be confirmed, where the one who saves the definition is no person. */
  needsPerson(name: string): boolean;
}

interface Visible {
  /** Ids of the steps that have run by now whenever this point is reached. */
  earlier: ReadonlySet<string>;
  /** Every id of the definition, to tell a wrong order from a wrong name. */
  all: ReadonlySet<string>;
}

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
    this.checkList(steps, 'steps', { earlier: new Set(), all: new Set(idsOf(steps)) }, found);
    faults.push(...found);
    return steps;
  }

  /** Adds a fault when a trigger's condition could not be evaluated before there is a run. */
  checkTrigger(condition: string, faults: Fault[]): void {
    collect('trigger.if', faults, () => {
      const roots = this.liquid.conditionReferences(condition).map(rootOf);
      for (const root of new Set(roots)) {
        if (TRIGGER_ROOTS.includes(root)) continue;
        const near = didYouMean(root, TRIGGER_ROOTS);
        const message = `refers to "${root}", which is neither ${TRIGGER_ROOTS.join(' nor ')}.${near}`;
        faults.push({ path: 'trigger.if', message });
      }
    });
  }

  private checkList(steps: readonly Step[], path: string, visible: Visible, faults: Fault[]): void {
    const earlier = new Set(visible.earlier);
    for (const [index, step] of steps.entries()) {
      const at = `${path}[${index}]`;
      const here = { earlier, all: visible.all };
      if (isTool(step)) this.checkTool(step, at, here, faults);
      else if (isWait(step)) {
        this.checkCondition(step.if ?? '', `${at}.if`, here, faults);
        this.checkText(step.wait.until ?? '', `${at}.wait.until`, here, faults);
      } else {
        this.checkCondition(step.if, `${at}.if`, here, faults);
        // Steps of a branch may not have run, so they are visible inside it only.
        this.checkList(step.then, `${at}.then`, here, faults);
        this.checkList(step.else ?? [], `${at}.else`, here, faults);
      }
      earlier.add(step.id);
      if (Array.isArray(step.on_error)) {
        this.checkList(step.on_error, `${at}.on_error`, { earlier, all: visible.all }, faults);
      }
    }
  }

  private checkTool(step: ToolStep, path: string, visible: Visible, faults: Fault[]): void {
    if (step.if !== undefined) this.checkCondition(step.if, `${path}.if`, visible, faults);
    this.checkValue(step.arguments ?? {}, `${path}.arguments`, visible, faults);
    const tool = this.tools.find(step.tool);
    if (tool) {
      checkStatic(step.arguments ?? {}, tool.inputSchema, `${path}.arguments`, faults);
      if (!tool.annotations.openWorldHint && (step.timeout ?? 0) > MAX_INTERNAL_TIMEOUT_SECONDS) {
        const message = `must be at most ${MAX_INTERNAL_TIMEOUT_SECONDS}: "${step.tool}" talks to no system outside`;
        faults.push({ path: `${path}.timeout`, message });
      }
      if (this.tools.needsPerson(step.tool)) {
        faults.push({
          path: `${path}.tool`,
          message: `"${step.tool}" must be confirmed each time, so only a person may make it a step`,
        });
      }
    } else if (step.tool !== '') {
      const near = didYouMean(step.tool, this.tools.names());
      faults.push({
        path: `${path}.tool`,
        message: `"${step.tool}" is not a tool for steps.${near}`,
      });
    }
  }

  private checkValue(value: unknown, path: string, visible: Visible, faults: Fault[]): void {
    if (typeof value === 'string') this.checkText(value, path, visible, faults);
    else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        this.checkValue(item, `${path}[${index}]`, visible, faults);
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        this.checkValue(item, `${path}.${key}`, visible, faults);
      }
    }
  }

  private checkText(text: string, path: string, visible: Visible, faults: Fault[]): void {
    if (!isDynamic(text)) return;
    collect(path, faults, () => {
      this.liquid.parse(text);
      checkReferences(this.liquid.references(text), path, visible, faults);
    });
  }

  private checkCondition(text: string, path: string, visible: Visible, faults: Fault[]): void {
    if (text === '') return;
    collect(path, faults, () => {
      checkReferences(this.liquid.conditionReferences(text), path, visible, faults);
    });
  }
}

function collect(path: string, faults: Fault[], check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    faults.push({ path, message: `is not a valid expression: ${error.message}` });
  }
}

function checkReferences(
  references: readonly string[],
  path: string,
  visible: Visible,
  faults: Fault[],
): void {
  const roots = new Set(references.map(rootOf));
  for (const root of roots) {
    if (ROOTS.includes(root) || visible.earlier.has(root)) continue;
    const message = visible.all.has(root)
      ? `refers to the step "${root}", which has not always run before this one`
      : `refers to "${root}", which is neither ${ROOTS.join(', ')} nor an earlier step.${didYouMean(root, [...ROOTS, ...visible.earlier])}`;
    faults.push({ path, message });
  }
}

function rootOf(reference: string): string {
  return reference.split(/[.[]/)[0]!;
}

function idsOf(steps: readonly Step[]): string[] {
  return steps.flatMap((step) => [
    step.id,
    ...(Array.isArray(step.on_error) ? idsOf(step.on_error) : []),
    ...(isTool(step) || isWait(step) ? [] : [...idsOf(step.then), ...idsOf(step.else ?? [])]),
  ]);
}
