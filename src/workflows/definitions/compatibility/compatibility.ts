import { AppError, type Fault, toError } from '../../../errors/app-error.js';
import type { LiquidSandbox } from '../../../liquid/liquid-sandbox.js';
import { didYouMean } from '../../../text/nearest-names.js';
import type { ToolDescriptor } from '../../../tools/registry/registered-tool.js';
import { type Step, everyStep } from '../definition.js';
import { isDynamic } from '../step-fields.js';
import { StepChecks } from '../steps/step-checks.js';
import { kindOf } from '../steps/step-kinds.js';
import { type ToolStep, checkStatic, isTool } from '../steps/tool-step.js';
import { type SchemaHashes, type ToolSchemas, canGive, schemaHashes } from './tool-schemas.js';

/** What a version says of itself, as far as its steps depend on it. */
export interface PinnedVersion {
  steps: readonly Step[];
  /** Null when it is not known which schemas it was made for. */
  schemas: ToolSchemas | null;
  looseReferences: readonly string[] | null;
}

/** What other schemas of a tool mean for a step that depends on it. */
export interface StepFinding {
  step: string;
  tool: string;
  /** `breaks`: it cannot work any more. `changed`: it may, as far as can be told before it runs. */
  effect: 'breaks' | 'changed';
  /** Where in the step. */
  path: string;
  message: string;
}

/** A member that an expression names and that the result of a step does not have. */
interface LooseReference {
  step: string;
  path: string;
  reference: string;
  /** Tool of the step whose result it is. */
  tool: string;
}

/** Judges what was saved by the tools that there are now. */
export class Compatibility {
  private readonly hashes = new Map<string, SchemaHashes>();

  constructor(
    private readonly tools: ReadonlyMap<string, ToolDescriptor>,
    private readonly liquid: LiquidSandbox,
  ) {}

  /** Of every tool that steps may name. */
  get schemas(): ToolSchemas {
    return Object.fromEntries([...this.tools.keys()].map((name) => [name, this.hashesOf(name)!]));
  }

  /** The schemas of the tools that the steps name. */
  schemasOf(steps: readonly Step[]): ToolSchemas {
    const names = new Set(toolSteps(steps).map(({ tool }) => tool));
    return Object.fromEntries(
      [...names].flatMap((name) => {
        const hashes = this.hashesOf(name);
        return hashes ? [[name, hashes]] : [];
      }),
    );
  }

  /** The expressions that find nothing, each as it is stored. */
  looseReferences(steps: readonly Step[]): string[] {
    return this.loose(steps).map(keyOf);
  }

  /** Every step that depends on a tool whose schemas are others than those the version was made for. */
  check(version: PinnedVersion): StepFinding[] {
    try {
      return this.judge(version);
    } catch (error) {
      // Steps of a kind that only a newer release knows, say: nothing else can be told of such a definition.
      const { message } = toError(error);
      return [{ step: '', tool: '', effect: 'breaks', path: 'steps', message }];
    }
  }

  private judge({ steps, schemas, looseReferences }: PinnedVersion): StepFinding[] {
    const found = toolSteps(steps).flatMap((step) => this.checkArguments(step, schemas));
    // Where nothing is known of how it was, an expression that finds nothing may never have found anything.
    if (!schemas || !looseReferences) return found;
    const before = new Set(looseReferences);
    const isNew = (loose: LooseReference): boolean =>
      !before.has(keyOf(loose)) && differs(schemas[loose.tool], this.hashesOf(loose.tool));
    const vanished = this.loose(steps)
      .filter(isNew)
      .map(({ step, path, reference, tool }): StepFinding => {
        const message = `names ${reference}, which ${tool} does not return any more`;
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

  private faultsOf(step: ToolStep): Fault[] {
    const tool = this.tools.get(step.tool);
    if (!tool) {
      const near = didYouMean(step.tool, [...this.tools.keys()]);
      return [{ path: 'tool', message: `"${step.tool}" is not a tool for steps.${near}` }];
    }
    const faults: Fault[] = [];
    checkStatic(step.arguments ?? {}, tool.inputSchema, 'arguments', faults);
    return faults;
  }

  private loose(steps: readonly Step[]): LooseReference[] {
    const all = everyStep(steps);
    const tools = new Map(all.filter(isTool).map(({ id, tool }) => [id, tool]));
    return all.flatMap((step) =>
      referencesOf(step, this.liquid).flatMap(({ path, reference }) => {
        const [root, ...members] = reference.split('.') as [string, ...string[]];
        const tool = tools.get(root);
        const output = tool === undefined ? undefined : this.tools.get(tool)?.outputSchema;
        // Of a step that has failed there is the error instead.
        const isFound = !output || members[0] === 'error' || canGive(output, members);
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

function toolSteps(steps: readonly Step[]): ToolStep[] {
  return everyStep(steps).filter(isTool);
}

function differs(old: SchemaHashes | undefined, now: SchemaHashes | undefined): boolean {
  return old?.input !== now?.input || old?.output !== now?.output;
}

function keyOf({ step, reference }: LooseReference): string {
  return `${step} ${reference}`;
}

/** What an expression of a step names, such as `contact.email`, and where it does. */
export interface StepReference {
  path: string;
  reference: string;
}

/** Goes through a step as its check does, and notes what its expressions name instead of judging it. */
class ReferenceReader extends StepChecks {
  readonly found: StepReference[] = [];

  constructor(private readonly sandbox: LiquidSandbox) {
    super(
      {
        tools: {
          find: () => undefined,
          names: () => [],
          needsPerson: () => false,
          workflows: new Set(),
        },
        liquid: sandbox,
        faults: [],
        ids: new Set(),
        list: () => undefined,
      },
      { visible: new Set(), prefixLength: 0 },
    );
  }

  override text(text: string, path: string): void {
    if (isDynamic(text)) this.note(path, () => this.sandbox.references(text));
  }

  override condition(text: string | undefined, path: string): void {
    if (text) this.note(path, () => this.sandbox.conditionReferences(text));
  }

  private note(path: string, read: () => string[]): void {
    try {
      for (const reference of read()) this.found.push({ path: path.slice(1), reference });
    } catch (error) {
      // Not an expression any more, so it names nothing.
      if (!(error instanceof AppError)) throw error;
    }
  }
}

/** What the expressions of the step itself name; the steps inside of it have their own. */
export function referencesOf(step: Step, liquid: LiquidSandbox): StepReference[] {
  const reader = new ReferenceReader(liquid);
  kindOf(step).check(step, '', reader);
  return reader.found;
}
