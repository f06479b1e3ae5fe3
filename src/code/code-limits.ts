/** The seconds for which code may run when its step has no timeout. */
export const DEFAULT_CODE_SECONDS = 1;
export const MAX_CODE_SECONDS = 10;
/** The largest amount of memory, in bytes, that QuickJS gives to code. */
export const MAX_CODE_MEMORY = 64 * 1024 * 1024;
/** The largest number of characters of the code of one step. A whole definition has at most 256 KiB. */
export const MAX_CODE_CHARACTERS = 64 * 1024;
/** The longest time, in milliseconds, that compiling all the code of a definition may take. */
export const MAX_CHECK_MS = 2000;
