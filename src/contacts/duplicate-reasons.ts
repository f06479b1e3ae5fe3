/** The reasons why two contacts may be one person, the strongest reason first. */
export const DUPLICATE_REASONS = ['similar_email', 'same_external_id', 'same_name'] as const;
export type DuplicateReason = (typeof DUPLICATE_REASONS)[number];
