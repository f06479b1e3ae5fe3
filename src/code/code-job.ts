/**
 * A job of a thread. `check` compiles the code of several steps, and runs none of it. `run` runs the code of one step.
 * Times are in milliseconds.
 */
export type CodeJob =
  | {
      readonly kind: 'check';
      readonly codes: readonly string[];
      readonly milliseconds: number;
      readonly memoryBytes: number;
    }
  | {
      readonly kind: 'run';
      readonly code: string;
      /** The value of `input` as JSON. */
      readonly input: string;
      /** The time that the code sees, in milliseconds since 1970. */
      readonly now: number;
      readonly milliseconds: number;
      readonly memoryBytes: number;
      readonly limits: ResultLimits;
    };

/** The limits of the result of code: the bytes of its JSON text, its depth, and its number of members. */
export interface ResultLimits {
  readonly bytes: number;
  readonly depth: number;
  readonly members: number;
}

/** The reason why code failed. `line` and `column` count from 1. */
export interface CodeFault {
  readonly kind: 'syntax' | 'thrown' | 'time' | 'memory' | 'size';
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** The answer of a thread: the result as JSON, the faults of checked codes in their order, or one fault. */
export interface CodeReply {
  readonly output?: string;
  readonly faults?: readonly (CodeFault | null)[];
  readonly fault?: CodeFault;
}
