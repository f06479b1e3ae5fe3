import { AppError } from '../../errors/app-error.js';
import type { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import type { Step } from './definition.js';
import { isDynamic } from './step-fields.js';
import { StepChecks } from './steps/step-checks.js';
import { kindOf } from './steps/step-kinds.js';

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
