/** Lists the reasons of `find_duplicates` for which two contacts may be the same person. */
export const DUPLICATE_REASONS = ['similar_email', 'same_external_id', 'same_name'] as const;
export type DuplicateReason = (typeof DUPLICATE_REASONS)[number];

/** Returns undefined for a value that is not a reason. */
export function readReason(given: unknown): DuplicateReason | undefined {
  return DUPLICATE_REASONS.find((reason) => reason === given);
}

/** Reads the chosen reason from the address of the page. */
export function readDuplicateSearch(search: Record<string, unknown>): { reason?: DuplicateReason } {
  const reason = readReason(search.reason);
  return reason ? { reason } : {};
}
