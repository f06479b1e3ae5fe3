/** The version of its workflow that a run goes on with, or is repeated with: its own or the newest. */
export const RUN_VERSIONS = ['same', 'latest'] as const;

export type RunVersion = (typeof RUN_VERSIONS)[number];
