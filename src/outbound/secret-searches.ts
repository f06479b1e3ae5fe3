import { ProcessorTurns } from '../turns/processor-turns.js';
import { TimeBudgets } from '../turns/time-budgets.js';
import type { ToolCall } from '../tools/contract/tool-call.js';
import type { SearchSteps } from './hidden-secrets.js';

/**
 * Searches responses for secrets in short turns. Between two turns, the process does other work. When an organization
 * has used its processor time, its searches wait. They are not refused, because their requests have been sent already.
 */
export class SecretSearches {
  private readonly turns: ProcessorTurns;

  constructor(budgets = new TimeBudgets(undefined, 'searches for secrets')) {
    this.turns = new ProcessorTurns(budgets, 'wait');
  }

  /**
   * Returns the result of a search. Rejects with the error of the search, or with the reason of the signal when the
   * call ends before the search.
   */
  async run<T>(
    { organizationId, signal }: Pick<ToolCall, 'organizationId' | 'signal'>,
    steps: SearchSteps<T>,
  ): Promise<T> {
    const found: T[] = [];
    const run = (endsAt: number): boolean => {
      signal.throwIfAborted();
      do {
        const step = steps.next();
        if (step.done) found.push(step.value);
      } while (found.length === 0 && performance.now() < endsAt);
      return found.length > 0;
    };
    await this.turns.run(organizationId, { run }, { leftMs: Infinity });
    return found[0]!;
  }
}
