/** The places where a stop, a crash or a lost database does the most harm. docs/reliability.md uses the same names. */
export const FAILPOINTS = {
  FP1: 'after commit, before wake-up',
  FP1b: 'after insert, before commit',
  FP1c: 'after commit, before response',
  FP2: 'after outside call, before journal',
  FP3: 'before step transaction',
  FP4: 'during lease renewal',
  FP5: 'after last step, before done',
  FP6: 'after rotation, before response',
} as const;

export type Failpoint = (typeof FAILPOINTS)[keyof typeof FAILPOINTS];

/** Production uses this class, which never stops execution. Tests start processes with a subclass. */
export class Failpoints {
  /** Is called when the process reaches a failpoint. `subject` is the id of the row that the process works on. */
  async reach(_point: Failpoint, _subject: string): Promise<void> {}
}
