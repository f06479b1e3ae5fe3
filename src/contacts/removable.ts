/** Names what is deleted together with a contact when its caller asks for it. */
export const REMOVABLE = ['messages', 'suppressions'] as const;
export type Removable = (typeof REMOVABLE)[number];
