import { Column, Entity } from 'typeorm';
import { OrganizationRowWithId } from '../database/organization-row.js';
import type { ImportOptions } from './import-options.js';

export const IMPORT_STATUSES = [
  'uploading',
  'uploaded',
  'running',
  'checked',
  'completed',
  'failed',
  'canceled',
] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];

export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Stores an uploaded file with contacts, and the progress of its import. */
@Entity('imports')
export class ContactImport extends OrganizationRowWithId {
  @Column('text')
  name: string;

  @Column('text', { default: 'uploading' })
  status: ImportStatus;

  @Column('text')
  encoding: Encoding;

  @Column('text')
  delimiter: string;

  @Column('json')
  columns: string[];

  /** The first rows of the file. */
  @Column('json', { default: [] })
  preview: string[][];

  /** The number of bytes of the file. PostgreSQL returns it as a text. */
  @Column('bigint', { default: 0 })
  size: string;

  /** The number of rows of the file, without the first row, which has the names of the columns. */
  @Column('integer', { default: 0 })
  rows: number;

  @Column('integer', { default: 0 })
  chunks: number;

  /** The options of the last start. Null before the first start. */
  @Column('json', { nullable: true })
  options: ImportOptions | null;

  /** The number of times that the import was started. */
  @Column('integer', { default: 0 })
  generation: number;

  @Column('integer', { default: 0 })
  nextChunk: number;

  @Column('integer', { default: 0 })
  processed: number;

  @Column('integer', { default: 0 })
  created: number;

  @Column('integer', { default: 0 })
  updated: number;

  @Column('integer', { default: 0 })
  unchanged: number;

  @Column('integer', { default: 0 })
  skipped: number;

  @Column('integer', { default: 0 })
  duplicate: number;

  @Column('integer', { default: 0 })
  failed: number;

  @Column('text', { nullable: true })
  error: string | null;

  /** The number of claims since the last chunk that was done. */
  @Column('integer', { default: 0 })
  attempts: number;

  @Column('integer', { default: 0 })
  epoch: number;

  @Column('timestamptz', { nullable: true })
  leaseUntil: Date | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  startedAt: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  finishedAt: Date | null;
}
