import { Evaluation } from '../../../liquid/evaluation.js';
import { ProcessorTurns } from '../../../turns/processor-turns.js';
import { TimeBudgets } from '../../../turns/time-budgets.js';
import type { SignaturePreset } from '../../definitions/webhook-options.js';
import { diagnosePreset } from './diagnose-preset.js';
import { diagnose, type RefusedSignature } from './diagnose.js';
import type { SignatureMistake } from './signature-mistake.js';

/** The processor time of one diagnosis. A diagnosis of 16 KiB with one signature takes about 20 ms. */
const MOST_MS = 200;
/**
 * The processor time of all diagnoses of an organization. It is small, because strangers can cause diagnoses, and
 * nobody waits for them.
 */
const ALLOWANCE = { capacityMs: 5000, gainMsPerSecond: 100 };

/**
 * Diagnoses refused signatures in short steps, between which other work can run. Each organization has a budget of
 * processor time.
 */
export class SignatureDiagnoses {
  private readonly turns: ProcessorTurns;

  constructor(budgets = new TimeBudgets(undefined, 'diagnoses of signatures', ALLOWANCE)) {
    this.turns = new ProcessorTurns(budgets);
  }

  /** Returns the sender's mistakes, or `not_examined` when the diagnosis fails or no time is left. */
  async find(
    organizationId: string,
    refused: RefusedSignature & { url: string },
    preset?: SignaturePreset,
  ): Promise<SignatureMistake[]> {
    const steps = preset === undefined ? diagnose(refused) : diagnoseAtOnce(preset, refused);
    const job = new Evaluation<SignatureMistake[]>(steps);
    try {
      await this.turns.run(organizationId, job, { leftMs: MOST_MS });
      return job.result;
    } catch {
      // The diagnosis may also fail, for example for a body that is nested too deeply. The delivery is recorded anyway.
      return ['not_examined'];
    }
  }
}

// eslint-disable-next-line require-yield
function* diagnoseAtOnce(
  preset: SignaturePreset,
  refused: RefusedSignature & { url: string },
): Generator<undefined, SignatureMistake[]> {
  return diagnosePreset(preset, refused);
}
