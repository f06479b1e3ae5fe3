import { AppError, type Fault } from '../../../errors/app-error.js';
import type { LiquidSandbox } from '../../../liquid/liquid-sandbox.js';
import { didYouMean } from '../../../text/nearest-names.js';
import type { ToolDescriptor } from '../../../tools/registry/registered-tool.js';
import type { Step } from '../definition.js';
import { isDynamic } from '../step-fields.js';

const ROOTS = ['trigger', 'contact', 'run', 'workflow'];

/** The tools that steps may name. */
export interface StepTools {
  find(name: string): ToolDescriptor | undefined;
  names(): string[];
  /** True of a tool that must be confirmed, where the one who saves the definition is no person. */
  needsPerson(name: string): boolean;
  /** Which of the workflows that steps name exist. */
  readonly workflows: ReadonlySet<string>;
}

/** What holds for a whole definition that is being checked. */
export interface DefinitionChecks {
  readonly tools: StepTools;
  readonly liquid: LiquidSandbox;
  readonly faults: Fault[];
  /** Every id of the definition, to tell a wrong order from a wrong name. */
  readonly ids: ReadonlySet<string>;
  list(steps: readonly Step[], path: string, around: Around): void;
}

/** What is around a list of steps. */
export interface Around {
  /** Names that expressions can refer to. */
  readonly visible: ReadonlySet<string>;
  /** Most characters that stand before the id of a step in its key. */
  readonly prefixLength: number;
}

/** Checks what is in a step. */
export class StepChecks {
  constructor(
    private readonly definition: DefinitionChecks,
    private readonly around: Around,
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

  /** Steps inside of this one, which see what it sees, and the names of the loop that it is, if it is one. */
  list(steps: readonly Step[], path: string, loop?: { names: string[]; prefix: string }): void {
    const { visible, prefixLength } = this.around;
    this.definition.list(steps, path, {
      visible: loop ? new Set([...visible, ...loop.names]) : visible,
      prefixLength: prefixLength + (loop?.prefix.length ?? 0),
    });
  }

  /** A name of its own that a step gives to what is inside: it must hide nothing else. */
  name(name: string, path: string): void {
    if (ROOTS.includes(name) || this.around.visible.has(name) || this.definition.ids.has(name)) {
      this.fault(path, `must not be "${name}": expressions use that name for something else`);
    }
  }

  isId(name: string): boolean {
    return this.definition.ids.has(name);
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
      this.references(liquid.references(text), path, this.around.visible);
    });
  }

  /** A condition, where there is one, which can also refer to these names. */
  condition(text: string | undefined, path: string, names: readonly string[] = []): void {
    if (text === undefined || text === '') return;
    collect(path, this.faults, () => {
      const references = this.definition.liquid.conditionReferences(text);
      this.references(references, path, new Set([...this.around.visible, ...names]));
    });
  }

  private references(
    references: readonly string[],
    path: string,
    visible: ReadonlySet<string>,
  ): void {
    for (const root of new Set(references.map(rootOf))) {
      if (ROOTS.includes(root) || visible.has(root)) continue;
      const message = this.definition.ids.has(root)
        ? `refers to the step "${root}", which has not always run before this one`
        : `refers to "${root}", which is neither ${ROOTS.join(', ')} nor an earlier step.${didYouMean(root, [...ROOTS, ...visible])}`;
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
