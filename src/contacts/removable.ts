/** The kinds of data that can be deleted together with a contact, at the request of the caller. */
export const REMOVABLE = ['messages', 'suppressions'] as const;
export type Removable = (typeof REMOVABLE)[number];
