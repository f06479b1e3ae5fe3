import { AppError, type Fault } from '../../../errors/app-error.js';
import type { FaultList } from '../../../errors/fault-list.js';
import type { Expressions } from '../../../liquid/read-expressions.js';
import { didYouMean } from '../../../text/nearest-names.js';
import type { ToolDescriptor } from '../../../tools/registry/registered-tool.js';
import { canHaveMember } from '../compatibility/tool-schemas.js';
import { isDynamic, visitTexts } from '../step-fields.js';
import { TRIGGER_VARIABLE } from '../trigger-request.js';

const ROOTS = ['trigger', 'contact', 'run', 'workflow'];
const SECRETS = 'secrets';
/** The name under which expressions read the values of `set` steps. */
export const VARS = 'vars';
const WHOLE_SECRET = /\{\{-?\s*secrets\.([a-z][a-z0-9_]*)\s*-?\}\}/g;

export interface StepTools {
  find(name: string): ToolDescriptor | undefined;
  names(): string[];
  /** Returns those faults of literal arguments that the schema of the tool cannot detect. */
  faultsOf?(name: string, given: Record<string, unknown>): readonly Fault[];
  /**
   * Returns the reason why the caller may not save a step that calls the tool with these arguments. Undefined if the
   * caller may save it.
   */
  refusal(name: string, given: Readonly<Record<string, unknown>>): string | undefined;
  /** The reason why the caller may not start other workflows by a step. Undefined if the caller may start them. */
  readonly runRefusal?: string;
  /** The reason why nobody may save steps with code. Undefined if people and agents may save them. */
  readonly codeRefusal?: string;
  /** The syntax errors in the code of steps, by the code. */
  readonly codeFaults?: ReadonlyMap<string, string>;
  /** The ids of existing workflows to which steps refer. */
  readonly workflows: ReadonlySet<string>;
  /** The names of the organization's secrets. */
  readonly secrets: readonly string[];
}

/** The context of all checks of one definition. */
export interface DefinitionChecks {
  readonly tools: StepTools;
  readonly liquid: Expressions;
  readonly faults: FaultList;
  /** All step ids of the definition, to distinguish a wrong order from a wrong name. */
  readonly ids: ReadonlySet<string>;
  /** The ids of the steps with a resume URL. */
  readonly resumable?: ReadonlySet<string>;
  /** The tool that each tool step calls, by the id of the step. */
  readonly toolsOfSteps?: ReadonlyMap<string, string>;
  /** The ids of the steps that set values. */
  readonly setSteps?: ReadonlySet<string>;
}

/** Checks the expressions of one step, and adds a fault for each error. */
export class StepChecks {
  constructor(
    private readonly definition: DefinitionChecks,
    /** The step ids and loop variables to which expressions can refer. */
    private readonly visible: ReadonlySet<string>,
    /** The names of the values that are set by the steps before this step. */
    private readonly vars: Pick<ReadonlySet<string>, 'has' | 'keys'> = new Set(),
  ) {}

  get tools(): StepTools {
    return this.definition.tools;
  }

  get faults(): FaultList {
    return this.definition.faults;
  }

  fault(path: string, message: string | (() => string)): void {
    this.faults.push({ path, message });
  }

  name(name: string, path: string): void {
    if (
      [...ROOTS, SECRETS, VARS].includes(name) ||
      this.visible.has(name) ||
      this.definition.ids.has(name)
    ) {
      this.fault(path, `must not be "${name}": expressions use that name for something else`);
    }
  }

  hasStep(name: string): boolean {
    return this.definition.ids.has(name);
  }

  /** Checks all texts in a value. Texts of a tool that takes secrets may contain secrets. */
  value(value: unknown, path: string, takesSecrets = false): void {
    visitTexts(value, path, (text, at) => this.text(text, at, takesSecrets));
  }

  text(text: string, path: string, takesSecrets = false): void {
    if (!isDynamic(text)) return;
    collectFaults(path, this.faults, () => {
      const { liquid } = this.definition;
      const { references, assigned } = liquid.reading(text);
      checkAssigned(assigned, path, this.faults);
      const others = references.filter((reference) => rootOf(reference) !== SECRETS);
      if (takesSecrets && others.length < references.length) this.secrets(text, path);
      this.references(takesSecrets ? others : references, path, this.visible);
    });
  }

  /** Adds a fault for a secret that does not exist. */
  secret(name: string, path: string): void {
    const known = this.tools.secrets;
    if (known.includes(name)) return;
    const message = (): string =>
      `refers to the secret "${name}", which does not exist.${didYouMean(name, known)} A person creates it in Settings → Secrets`;
    this.fault(path, message);
  }

  /** Checks a condition, if there is one. The condition can also refer to the given names. */
  condition(text: string | undefined, path: string, names: readonly string[] = []): void {
    if (text === undefined || text === '') return;
    collectFaults(path, this.faults, () => {
      const references = this.definition.liquid.conditionReferences(text);
      this.references(references, path, new Set([...this.visible, ...names]));
    });
  }

  /** Adds a fault for a member that the variable can never have, by the output schema of its step. */
  private member(reference: string, path: string): void {
    const [root, ...members] = reference.split('.') as [string, ...string[]];
    const fault = this.definition.ids.has(root) ? undefined : memberFault(reference);
    if (fault !== undefined) this.fault(path, fault);
    const [, resumed] = members;
    if (root === 'run' && members[0] === 'resume_urls' && resumed !== undefined) {
      this.resumeUrl(resumed, path);
    }
    if (root === VARS) this.variable(members[0], path);
    if (this.definition.setSteps?.has(root) && members[0] !== 'error') {
      this.fault(path, `refers to the step "${root}", whose values are read as ${VARS}.NAME`);
    }
    const tool = this.definition.toolsOfSteps?.get(root);
    const output = tool === undefined ? undefined : this.tools.find(tool)?.outputSchema;
    // A failed step has the member `error` in place of an output.
    if (!output || members[0] === 'error' || canHaveMember(output, members)) return;
    const near = didYouMean(members[0]!, Object.keys(output.properties));
    this.fault(path, `refers to "${reference}", which "${tool}" does not return.${near}`);
  }

  /**
   * Adds a fault for a reference to the resume URL of a step that has no resume URL. A message with such a reference
   * would have no link.
   */
  private resumeUrl(id: string, path: string): void {
    const { resumable } = this.definition;
    if (!resumable || resumable.has(id)) return;
    const message = (): string =>
      `refers to the resume URL of "${id}", but no step of that id waits for the event "resume".${didYouMean(id, [...resumable])}`;
    this.fault(path, message);
  }

  /** Adds a fault for a value that no earlier step sets, and for a reference to all values. */
  private variable(name: string | undefined, path: string): void {
    if (name === undefined) {
      // All values together can be much larger than the largest allowed value.
      this.fault(path, `refers to all of ${VARS}, but single values are read as ${VARS}.NAME`);
      return;
    }
    if (this.vars.has(name)) return;
    const message = (): string =>
      `refers to "${VARS}.${name}", which no earlier step sets.${didYouMean(name, [...this.vars.keys()])}`;
    this.fault(path, message);
  }

  private secrets(text: string, path: string): void {
    const rest = text.replaceAll(WHOLE_SECRET, (_, name: string) => {
      this.secret(name, path);
      return '';
    });
    // Until the request is sent, a marker stands for the value of the secret. Filters and tags would see the marker.
    if (/(?<![\w.-])secrets(?![\w-])/.test(rest)) {
      this.fault(
        path,
        'must contain a secret as {{ secrets.name }}, without filters, tags and other names',
      );
    }
  }

  private references(
    references: readonly string[],
    path: string,
    visible: ReadonlySet<string>,
  ): void {
    for (const reference of new Set(references)) this.member(reference, path);
    for (const root of new Set(references.map(rootOf))) {
      if (ROOTS.includes(root) || root === VARS || visible.has(root)) continue;
      if (root === SECRETS) {
        this.fault(
          path,
          'refers to a secret, which only the arguments of http_request may contain',
        );
        continue;
      }
      const message = (): string =>
        this.definition.ids.has(root)
          ? `refers to the step "${root}", which may not have run before this step`
          : `refers to "${root}", which is neither ${ROOTS.join(', ')} nor an earlier step.${didYouMean(root, [...ROOTS, ...visible])}`;
      this.fault(path, message);
    }
  }
}

/**
 * The members of each variable that all runs have. The variable `contact` is not listed, because any member of a contact
 * can be read.
 */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  trigger: TRIGGER_VARIABLE,
  run: ['id', 'resume_urls'],
  workflow: ['id', 'name'],
  failure: ['step', 'tool', 'error', 'failed_at'],
};

/** Returns the fault of a reference such as `run.name`, whose variable has no such member. Otherwise undefined. */
export function memberFault(reference: string): string | undefined {
  const [root, member] = reference.split('.');
  const known = Object.hasOwn(MEMBERS, root!) ? MEMBERS[root!]! : undefined;
  if (!known || member === undefined || known.includes(member)) return undefined;
  return `refers to "${reference}", but ${root} has only ${known.join(' and ')}.${didYouMean(member, known)}`;
}

/** Runs a check, and adds a fault when it throws because an expression is invalid. */
export function collectFaults(path: string, faults: FaultList, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    faults.push({ path, message: `is not a valid expression: ${error.message}` });
  }
}

/** Adds a fault for each assigned name that is reserved: every run has a variable of this name. */
export function checkAssigned(names: readonly string[], path: string, faults: FaultList): void {
  for (const name of names) {
    if (![...ROOTS, SECRETS, VARS].includes(name)) continue;
    const message = `assigns a value to "${name}", which expressions use for something else. Choose another name`;
    faults.push({ path, message });
  }
}

/** Adds a fault for each reference to a variable that is not `known`. */
export function checkRoots(
  references: readonly string[],
  known: readonly string[],
  inWords: string,
  path: string,
  faults: FaultList,
): void {
  for (const root of new Set(references.map(rootOf))) {
    if (known.includes(root)) continue;
    const near = (): string => didYouMean(root, known);
    const message = (): string => `refers to "${root}", which is neither ${inWords}.${near()}`;
    faults.push({ path, message });
  }
}

function rootOf(reference: string): string {
  return reference.split(/[.[]/)[0]!;
}
