/**
 * The bytes of stored values after which a part of a CSV file ends. Other work of the process waits while a part is
 * converted to text.
 */
export const PART_BYTES = 256 * 1024;
