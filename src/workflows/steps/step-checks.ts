import { AppError, type Fault } from '../../errors/app-error.js';
import type { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { didYouMean } from '../../tools/nearest-names.js';
import type { ToolDescriptor } from '../../tools/registered-tool.js';
import type { Step } from '../definition.js';
import { isDynamic } from '../step-fields.js';

const ROOTS = ['trigger', 'contact', 'run', 'workflow'];

/** The tools that steps may name. */
export interface StepTools {
  find(name: string): ToolDescriptor | undefined;
  names(): string[];
  /** True of a tool that must be confirmed, where the one who saves the definition is no person. */
  needsPerson(name: string): boolean;
}

/** What holds for a whole definition that is being checked. */
export interface DefinitionChecks {
  readonly tools: StepTools;
  readonly liquid: LiquidSandbox;
  readonly faults: Fault[];
  /** Every id of the definition, to tell a wrong order from a wrong name. */
  readonly ids: ReadonlySet<string>;
  list(steps: readonly Step[], path: string, visible: ReadonlySet<string>): void;
}

/** Checks what is in a step, at a place where `visible` are the names that expressions can refer to. */
export class StepChecks {
  constructor(
    private readonly definition: DefinitionChecks,
    private readonly visible: ReadonlySet<string>,
  ) {}

  get tools(): StepTools {
    return this.definition.tools;
  }

  get faults(): Fault[] {
    return this.definition.faults;
  }

  fault(path: string, message: string): void {
    this.faults.push({ path, message });
  }

  /** Steps inside of this one, which see what it sees, and these names. */
  list(steps: readonly Step[], path: string, names: readonly string[] = []): void {
    this.definition.list(steps, path, new Set([...this.visible, ...names]));
  }

  /** Every text in a value that may hold expressions. */
  value(value: unknown, path: string): void {
    if (typeof value === 'string') this.text(value, path);
    else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) this.value(item, `${path}[${index}]`);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) this.value(item, `${path}.${key}`);
    }
  }

  text(text: string, path: string): void {
    if (!isDynamic(text)) return;
    collect(path, this.faults, () => {
      const { liquid } = this.definition;
      liquid.parse(text);
      this.references(liquid.references(text), path);
    });
  }

  /** A condition, where there is one. */
  condition(text: string | undefined, path: string): void {
    if (text === undefined || text === '') return;
    collect(path, this.faults, () => {
      this.references(this.definition.liquid.conditionReferences(text), path);
    });
  }

  private references(references: readonly string[], path: string): void {
    for (const root of new Set(references.map(rootOf))) {
      if (ROOTS.includes(root) || this.visible.has(root)) continue;
      const message = this.definition.ids.has(root)
        ? `refers to the step "${root}", which has not always run before this one`
        : `refers to "${root}", which is neither ${ROOTS.join(', ')} nor an earlier step.${didYouMean(root, [...ROOTS, ...this.visible])}`;
      this.fault(path, message);
    }
  }
}

/** Adds a fault where an expression turns out to be none. */
export function collect(path: string, faults: Fault[], check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    faults.push({ path, message: `is not a valid expression: ${error.message}` });
  }
}

export function rootOf(reference: string): string {
  return reference.split(/[.[]/)[0]!;
}
