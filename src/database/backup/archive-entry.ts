/** The header of an archive. It describes the backup, and has the facts that a restore checks before it begins. */
export interface ArchiveHeader {
  kind: 'header';
  /** The version of Switchboard that made the backup. */
  product: string;
  /** The time of the snapshot by the clock of the database, in ISO 8601. */
  takenAt: string;
  /** The migrations of Switchboard that the database had, oldest first. */
  migrations: readonly string[];
  /** The migrations of a team's modules that the database had, oldest first. */
  moduleMigrations: readonly string[];
  /** The ids, in hexadecimal, of the keys that a restore needs. The ids reveal nothing about the keys. */
  secretKeys: readonly string[];
}

/** The beginning of a table. The rows that follow are in the text format of COPY, with these columns. */
export interface ArchiveTable {
  kind: 'table';
  /** The schema and the name, for example `public.contacts`. */
  table: string;
  columns: readonly string[];
}

/** The last value that a sequence returned. */
export interface ArchiveSequence {
  name: string;
  last: string;
}

/** One part of an archive: a header, then each table with its rows, then an end. */
export type ArchiveEntry =
  | ArchiveHeader
  | ArchiveTable
  | { kind: 'rows'; bytes: Buffer }
  | { kind: 'table_end'; rows: number }
  | { kind: 'end'; tables: number; sequences: readonly ArchiveSequence[] };

/** The first bytes of a decompressed archive. The number is the version of the format. */
export const ARCHIVE_NAME = 'switchboard backup ';
export const MAGIC = Buffer.from(`${ARCHIVE_NAME}1\n`);

/** The first byte of a frame. Four bytes with the length of its content follow, the highest byte first. */
export const FRAME = { json: 0x4a, rows: 0x52, digest: 0x53 } as const;
export const FRAME_HEAD_BYTES = 5;
/** The largest content of a frame, in bytes. Without this limit, a damaged length could fill the memory. */
export const MOST_FRAME_BYTES = 1024 * 1024;
