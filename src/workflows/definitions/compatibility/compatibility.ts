import { AppError, type Fault, toError } from '../../../errors/app-error.js';
import { FaultList } from '../../../errors/fault-list.js';
import type { Expressions } from '../../../liquid/read-expressions.js';
import { didYouMean } from '../../../text/nearest-names.js';
import type { ToolDescriptor } from '../../../tools/registry/registered-tool.js';
import type { Step, ToolStep } from '../definition.js';
import { isDynamic } from '../step-fields.js';
import { readStoredSteps } from '../stored-steps.js';
import { StepChecks } from '../steps/step-checks.js';
import { everyStep, innerListsOf, kindOf } from '../steps/step-kinds.js';
import { checkStatic, isTool } from '../steps/tool-step.js';
import {
  type SchemaHashes,
  type ToolSchemas,
  canHaveMember,
  schemaHashes,
} from './tool-schemas.js';

/** The part of a version that the compatibility check needs. */
export interface PinnedVersion {
  steps: readonly Step[];
  /** The schemas at the time of the last check, or null when they are unknown. */
  schemas: ToolSchemas | null;
  looseReferences: readonly string[] | null;
}

/** The effect of a changed tool on a step that calls it or uses its result. */
export interface StepFinding {
  step: string;
  tool: string;
  /** `breaks` means that the step can no longer succeed. `changed` means that the step may still succeed. */
  effect: 'breaks' | 'changed';
  /** The place of the finding inside the step. */
  path: string;
  message: string;
}

/** A member that an expression reads but the output schema of the tool does not have. */
interface LooseReference {
  step: string;
  path: string;
  reference: string;
  /** The tool whose result the expression reads. */
  tool: string;
}

export class Compatibility {
  private readonly hashes = new Map<string, SchemaHashes>();

  constructor(
    private readonly tools: ReadonlyMap<string, ToolDescriptor>,
    private readonly liquid: Expressions,
  ) {}

  get schemas(): ToolSchemas {
    return Object.fromEntries([...this.tools.keys()].map((name) => [name, this.hashesOf(name)!]));
  }

  schemasOf(steps: readonly Step[]): ToolSchemas {
    const names = new Set(
      everyStep(steps)
        .filter(isTool)
        .map(({ tool }) => tool),
    );
    return Object.fromEntries(
      [...names].flatMap((name) => {
        const hashes = this.hashesOf(name);
        return hashes ? [[name, hashes]] : [];
      }),
    );
  }

  /** Returns the references to members that no output schema has, in the stored form `<step> <reference>`. */
  looseReferences(steps: readonly Step[], expressions: Expressions = this.liquid): string[] {
    return this.findLooseReferences(steps, expressions).map(keyOf);
  }

  /** Returns a finding for every step that depends on a tool whose schemas have changed since the version was saved. */
  check(version: PinnedVersion): StepFinding[] {
    try {
      return this.findChanges(version);
    } catch (error) {
      // The definition is unreadable, for example because a newer release saved a new kind of step, or too large.
      const { message } = toError(error);
      return [{ step: '', tool: '', effect: 'breaks', path: 'steps', message }];
    }
  }

  private findChanges({ steps, schemas, looseReferences }: PinnedVersion): StepFinding[] {
    const calls = everyStep(readStoredSteps(steps)).filter(isTool);
    const found = calls.flatMap((step) => this.checkArguments(step, schemas));
    // The earlier state is unknown, so the reference may have been unresolved from the beginning.
    if (!schemas || !looseReferences) return found;
    const before = new Set(looseReferences);
    const isNew = (loose: LooseReference): boolean =>
      !before.has(keyOf(loose)) && differs(schemas[loose.tool], this.hashesOf(loose.tool));
    const vanished = this.findLooseReferences(steps, this.liquid)
      .filter(isNew)
      .map(({ step, path, reference, tool }): StepFinding => {
        const message = `uses ${reference}, which ${tool} no longer returns`;
        return { step, tool, effect: 'breaks', path, message };
      });
    return [...found, ...vanished];
  }

  private checkArguments(step: ToolStep, schemas: ToolSchemas | null): StepFinding[] {
    const { id, tool } = step;
    const [old, now] = [schemas?.[tool], this.hashesOf(tool)];
    if (old && !differs(old, now)) return [];
    const faults = this.faultsOf(step);
    if (faults.length > 0) {
      return faults.map((fault) => ({ step: id, tool, effect: 'breaks', ...fault }));
    }
    if (!old) return [];
    const parts = [
      ...(old.input === now!.input ? [] : ['takes other arguments']),
      ...(old.output === now!.output ? [] : ['returns another result']),
    ];
    const message = `"${tool}" ${parts.join(' and ')} than when the version was saved`;
    return [{ step: id, tool, effect: 'changed', path: 'tool', message }];
  }

  private faultsOf(step: ToolStep): readonly Fault[] {
    const tool = this.tools.get(step.tool);
    if (!tool) {
      const near = didYouMean(step.tool, [...this.tools.keys()]);
      return [{ path: 'tool', message: `"${step.tool}" is not a tool for steps.${near}` }];
    }
    const faults = new FaultList();
    checkStatic(step.arguments ?? {}, tool.inputSchema, 'arguments', faults);
    return faults.first;
  }

  private findLooseReferences(steps: readonly Step[], expressions: Expressions): LooseReference[] {
    const all = everyStep(steps);
    const tools = new Map(all.filter(isTool).map(({ id, tool }) => [id, tool]));
    return all.flatMap((step) =>
      referencesOf(step, expressions).flatMap(({ path, reference }) => {
        const [root, ...members] = reference.split('.') as [string, ...string[]];
        const tool = tools.get(root);
        const output = tool === undefined ? undefined : this.tools.get(tool)?.outputSchema;
        // A failed step has the member `error` in place of an output.
        const isFound = !output || members[0] === 'error' || canHaveMember(output, members);
        return isFound ? [] : [{ step: step.id, path, reference, tool: tool! }];
      }),
    );
  }

  private hashesOf(name: string): SchemaHashes | undefined {
    const tool = this.tools.get(name);
    const hashes = this.hashes.get(name) ?? (tool && schemaHashes(tool));
    if (hashes) this.hashes.set(name, hashes);
    return hashes;
  }
}

function differs(old: SchemaHashes | undefined, now: SchemaHashes | undefined): boolean {
  return old?.input !== now?.input || old?.output !== now?.output;
}

function keyOf({ step, reference }: LooseReference): string {
  return `${step} ${reference}`;
}

/** A variable path such as `contact.email` that an expression reads, and the path of the expression. */
interface StepReference {
  path: string;
  reference: string;
}

/**
 * Visits the expressions that the check of a step visits. Collects the references in these expressions and adds no
 * faults.
 */
class ReferenceReader extends StepChecks {
  readonly found: StepReference[] = [];

  constructor(private readonly expressions: Expressions) {
    super(
      {
        tools: {
          find: () => undefined,
          names: () => [],
          refusal: () => undefined,
          secrets: [],
          workflows: new Set(),
        },
        liquid: expressions,
        faults: new FaultList(),
        ids: new Set(),
      },
      new Set(),
    );
  }

  override text(text: string, path: string): void {
    if (isDynamic(text)) this.collect(path, () => this.expressions.references(text));
  }

  override condition(text: string | undefined, path: string): void {
    if (text) this.collect(path, () => this.expressions.conditionReferences(text));
  }

  private collect(path: string, read: () => string[]): void {
    try {
      for (const reference of read()) this.found.push({ path: path.slice(1), reference });
    } catch (error) {
      // This release may reject an expression that an earlier release accepted.
      if (!(error instanceof AppError)) throw error;
    }
  }
}

/** Returns the references in the expressions of a step, without those of the steps inside it. */
function referencesOf(step: Step, expressions: Expressions): StepReference[] {
  const reader = new ReferenceReader(expressions);
  reader.condition(step.if, '.if');
  kindOf(step).check?.(step, '', reader);
  for (const { after = {} } of innerListsOf(step)) {
    for (const [member, value] of Object.entries(after)) reader.value(value, `.${member}`);
  }
  return reader.found;
}
