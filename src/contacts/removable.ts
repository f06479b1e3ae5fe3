/** The kinds of data that a caller can have deleted together with a contact. */
export const REMOVABLE = ['messages', 'suppressions'] as const;
export type Removable = (typeof REMOVABLE)[number];
