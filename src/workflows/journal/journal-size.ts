import { AppError } from '../../errors/app-error.js';
import { jsonMemory } from '../../text/json-memory.js';
import { isCostlyToParse, PARSE_LIMITS } from '../../text/json-members.js';
import { FAILURE_STEP_ID } from '../definitions/steps/failure-step.js';

/**
 * The largest number of bytes that the journal of a claimed run has in memory, as {@link journalBytes} counts them: the
 * JSON of inputs, outputs, errors and progress of loops. Entries inside finished loop iterations are not in memory.
 */
export const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;
/** The bytes of memory for each counted byte. When JSON with few small values is parsed, it takes less memory. */
const MEMORY_OF_BYTE = 4;
/** The bytes that each entry counts in addition to its JSON, its path and the name of its tool. */
export const ENTRY_BYTES = 256;
/**
 * An entry of at most this size is stored even above the limit, and so is an entry that grows by at most this size.
 * Otherwise a run with large values could not store the choice of a branch, or record and handle the failure.
 */
const ALWAYS_STORED_BYTES = 4096;
/**
 * The largest number of bytes of a journal that is loaded. A run whose journal has more bytes fails. Only earlier
 * releases stored such journals. This release stores some small entries after a journal has reached
 * `MAX_JOURNAL_BYTES`, but never enough for this size.
 */
export const MAX_LOADED_BYTES = 2 * MAX_JOURNAL_BYTES;

/**
 * The largest number of entries of a journal that is loaded, without those inside finished loop iterations. A run with
 * more entries fails. This number limits the time of functions that visit all entries.
 */
export const MAX_LOADED_ENTRIES = 100_000;

interface Sized {
  readonly bytes?: number;
  readonly progressBytes?: number;
}

/** The error of a step whose values do not fit into the journal of its run. */
export class JournalTooLargeError extends AppError {
  constructor(message?: string) {
    super(
      'invalid_arguments',
      message ??
        `With this step, the inputs and outputs of the run are larger than ${MAX_JOURNAL_BYTES} bytes. ` +
          'JSON of many small values counts more than its bytes. ' +
          'Values inside the finished items of a for_each do not count.',
    );
  }
}

/**
 * Returns the bytes of JSON texts that count towards the limit. JSON of many small values counts as a quarter of the
 * memory that it takes. A quarter of this memory can be five times the length of the JSON.
 */
export function journalBytes(...texts: readonly (string | null)[]): number {
  let bytes = 0;
  for (const text of texts) {
    if (text === null) continue;
    bytes += Math.max(Buffer.byteLength(text), Math.ceil(jsonMemory(text) / MEMORY_OF_BYTE));
  }
  return bytes;
}

/** Returns the bytes that an entry without its JSON counts towards the limit. */
export function placeBytes(entry: {
  readonly stepId: string;
  readonly tool: string | null;
}): number {
  return ENTRY_BYTES + entry.stepId.length + (entry.tool?.length ?? 0);
}

/** Returns the bytes of an entry that count towards the limit. */
export function sizeOf(entry: Sized | undefined): number {
  return (entry?.bytes ?? 0) + (entry?.progressBytes ?? 0);
}

/**
 * Throws `JournalTooLargeError` for a JSON text that would take too long to parse when the journal is read. So a worker
 * that reads such a text knows that SQL of a tool has stored it.
 */
export function assertReadable(...texts: readonly (string | null)[]): void {
  if (!texts.some((text) => text !== null && isCostlyToParse(text))) return;
  const { members, names } = PARSE_LIMITS;
  throw new JournalTooLargeError(
    `The input or the output of this step has more than ${members} values or ${names} names.`,
  );
}

/** Throws `JournalTooLargeError` when the journal would be too large with this new state of an entry. */
export function assertFits(
  tx: { readonly bytes: number; get(path: string): Sized | undefined },
  entry: Sized & { readonly stepId: string },
): void {
  const size = sizeOf(entry);
  if (size <= ALWAYS_STORED_BYTES || entry.stepId === FAILURE_STEP_ID) return;
  const before = sizeOf(tx.get(entry.stepId));
  const isFull = tx.bytes - before + size > MAX_JOURNAL_BYTES;
  if (size - before > ALWAYS_STORED_BYTES && isFull) throw new JournalTooLargeError();
}
