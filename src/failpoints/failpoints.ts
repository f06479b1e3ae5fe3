/**
 * The moments at which a process that dies, stops or loses its database does the most harm, by the names that
 * docs/reliability.md uses.
 */
export const FAILPOINTS = {
  FP1: 'after commit, before hint',
  FP1b: 'after insert, before commit',
  FP1c: 'after commit, before answer',
  FP2: 'after outside call, before journal',
  FP3: 'before step transaction',
  FP4: 'during lease renewal',
  FP5: 'after last step, before done',
  FP6: 'after revocation, before new key',
} as const;

export type Failpoint = (typeof FAILPOINTS)[keyof typeof FAILPOINTS];

/** Told of every failpoint as it is passed. This one lets everything pass; tests start processes with another. */
export class Failpoints {
  /** `subject` is the id of what the process is busy with. */
  async reach(_point: Failpoint, _subject: string): Promise<void> {}
}
