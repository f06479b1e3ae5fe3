import { AppError } from '../errors/app-error.js';
import { MAX_VALUE_BYTES, VALUE_LIMITS } from '../text/value-size.js';
import type { CodeFault } from './code-job.js';
import { DEFAULT_CODE_SECONDS, MAX_CHECK_MS, MAX_CODE_MEMORY } from './code-limits.js';
import { CodeThreads } from './code-threads.js';

const RESULT_LIMITS = { ...VALUE_LIMITS, bytes: MAX_VALUE_BYTES };

export interface CodeRun {
  readonly code: string;
  readonly input: object;
  /** The time that the code sees. */
  readonly now: Date;
  readonly seconds?: number;
  readonly signal?: AbortSignal;
}

/**
 * Runs JavaScript that users wrote, in QuickJS in a thread. The code sees its input and the functions of the language,
 * and nothing else: no process, files, network, modules or timers. Its time, memory and result are limited.
 */
export class CodeSandbox {
  constructor(
    private readonly isOn: boolean,
    private readonly threads = new CodeThreads(),
    private readonly maxCheckMs = MAX_CHECK_MS,
  ) {}

  /** The reason why code is refused. Undefined when the operator allows code. */
  get refusal(): string | undefined {
    if (this.isOn) return undefined;
    return 'needs CODE_STEPS=on, which only an operator of this installation can set';
  }

  /**
   * Compiles each text of code without running it. Returns a map from each text that has a syntax error to this error.
   * The map is empty when code steps are off.
   */
  async check(
    organizationId: string,
    codes: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const distinct = [...new Set(codes)];
    if (!this.isOn || distinct.length === 0) return new Map();
    const { faults = [], fault } = await this.threads.run(organizationId, {
      kind: 'check',
      codes: distinct,
      milliseconds: this.maxCheckMs,
      memoryBytes: MAX_CODE_MEMORY,
    });
    const faultOf = (index: number): CodeFault | undefined => fault ?? faults[index] ?? undefined;
    return new Map(
      distinct.flatMap((code, index) => {
        const own = faultOf(index);
        return own ? [[code, `is not valid JavaScript: ${describe(own)}`] as const] : [];
      }),
    );
  }

  /**
   * Runs the code, and returns its return value as JSON text. Throws `invalid_arguments` when the code throws, needs
   * too much memory, or returns too much. Throws `unavailable` after the time limit. Also throws the errors of
   * {@link CodeThreads.run}.
   */
  async run(organizationId: string, given: CodeRun): Promise<string> {
    if (this.refusal !== undefined) throw AppError.invalid(`A code step ${this.refusal}.`);
    const { code, input, now, seconds = DEFAULT_CODE_SECONDS, signal } = given;
    const { output, fault } = await this.threads.run(
      organizationId,
      {
        kind: 'run',
        code,
        input: JSON.stringify(input),
        now: now.getTime(),
        milliseconds: seconds * 1000,
        memoryBytes: MAX_CODE_MEMORY,
        limits: RESULT_LIMITS,
      },
      signal,
    );
    if (fault?.kind === 'time') {
      throw new AppError('unavailable', `The code did not end within ${seconds} s.`);
    }
    if (fault) throw AppError.invalid(`The code failed: ${describe(fault)}.`);
    return output ?? 'null';
  }

  async close(): Promise<void> {
    await this.threads.close();
  }
}

function describe({ kind, message, line, column }: CodeFault): string {
  if (kind === 'memory') return `it needs more than ${MAX_CODE_MEMORY / 1024 / 1024} MiB of memory`;
  if (kind === 'time') return 'it takes too long to compile';
  return line === undefined ? message : `${message} (line ${line}, column ${column})`;
}
