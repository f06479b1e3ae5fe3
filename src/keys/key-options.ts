/** The options of a key, which are decided when it is created. */
export interface KeyOptions {
  readonly expiresAt: Date | null;
  readonly readOnly: boolean;
  /** The current names of the tools that the key may call, sorted. When null, the key may call every tool. */
  readonly tools: readonly string[] | null;
}

export const NO_OPTIONS: KeyOptions = { expiresAt: null, readOnly: false, tools: null };
