import { type Read, boolean, json, list, optional, record, text } from '../../api/reader.ts';

const policy = record({ tool: text, hidden: boolean, confirmation: text });
export type Policy = Read<typeof policy>;
export const policyList = record({ policies: list(policy) });
export const policyResult = record({ policy });

/** Reads the answer of a dry run: the result that the call would have, and the rows that it would change. */
export const dryRun = record({
  result: json,
  effects: list(record({ action: text, table: text, id: text, changed: optional(list(text)) })),
  truncated: optional(boolean),
});
export type DryRun = Read<typeof dryRun>;

export const CONFIRMATIONS = ['never', 'when_possible', 'always'] as const;
