/** The largest number of attachments of a message. */
export const MOST_ATTACHMENTS = 20;
/** The largest number of bytes that the attachments of a message have together. */
export const MOST_ATTACHED_BYTES = 10 * 1024 * 1024;
