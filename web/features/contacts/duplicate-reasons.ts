/** Lists why two contacts may be one person, as `find_duplicates` names the reasons. */
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
