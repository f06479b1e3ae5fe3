import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow, OrganizationRowWithId } from '../database/organization-row.js';

/**
 * Stores the facts about a file that a step of a run kept, or that was uploaded. A file of a run is deleted with the
 * run.
 */
@Entity('files')
export class StoredFile extends OrganizationRowWithId {
  /** Null for an upload. */
  @Column('text', { nullable: true })
  runId: string | null;

  /** A file name without folders and control characters. */
  @Column('text')
  name: string;

  /** A media type as the other system named it, such as `image/png`. Do not trust it. */
  @Column('text')
  contentType: string;

  /** The number of bytes. */
  @Column('integer')
  size: number;

  @Column('bytea')
  sha256: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** True until all bytes have arrived. Until then, size and hash are not known. */
  @Column('boolean', { default: false })
  isUploading: boolean;
}

/** Stores a part of the bytes of a file. All parts but the last have the same length. */
@Entity('file_chunks')
export class FileChunk extends OrganizationRow {
  @PrimaryColumn('text')
  fileId: string;

  @PrimaryColumn('integer')
  position: number;

  @Column('bytea')
  bytes: Buffer;
}
