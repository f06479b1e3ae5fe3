/** The largest number of characters of a subject. A character has at most four bytes. */
export const LONGEST_SUBJECT = 500;
/** The largest text of a message, in bytes. */
export const LONGEST_BODY_BYTES = 256 * 1024;
/** The largest HTML of a message, in bytes. */
export const LONGEST_HTML_BYTES = 500 * 1024;
