import { PageResult } from '../paging/paging.js';
import { Doc } from '../tools/schema/doc.decorator.js';
import {
  Choice,
  Flag,
  Integer,
  JsonObject,
  ListOf,
  Nested,
  Text,
  TextList,
  Timestamp,
} from '../tools/schema/fields.js';
import {
  ENCODINGS,
  type ContactImport,
  IMPORT_STATUSES,
  type ImportStatus,
} from './import.entity.js';

class ImportCountsView {
  @Integer()
  created: number;

  @Integer()
  updated: number;

  @Integer('Rows whose contact had these values already.')
  unchanged: number;

  @Integer('Empty rows, and with on_existing "skip", rows of existing contacts.')
  skipped: number;

  @Integer('Rows that repeat an earlier row of the file. They are among the rejected rows.')
  duplicate: number;

  @Integer('Rows with faults.')
  failed: number;
}

/** An import as lists show it. */
export class ImportOutline {
  @Text()
  id: string;

  @Text('Name of the file.')
  name: string;

  @Choice(IMPORT_STATUSES)
  status: ImportStatus;

  @Integer('Bytes of the file.')
  size: number;

  @Integer('Rows of the file without the names of the columns.')
  rows: number;

  @Integer('Rows that are done.')
  processed: number;

  @Nested(() => ImportCountsView, 'What happened to these rows, or would happen.')
  counts: ImportCountsView;

  @Flag('True if the last start only checked the rows.')
  check_only: boolean;

  @Text('Why the import failed.', { nullable: true })
  error: string | null;

  @Timestamp()
  created_at: string;

  @Timestamp({ nullable: true })
  started_at: string | null;

  @Timestamp({ nullable: true })
  finished_at: string | null;

  static of(job: ContactImport): ImportOutline {
    const { created, updated, unchanged, skipped, duplicate, failed } = job;
    return {
      id: job.id,
      name: job.name,
      status: job.status,
      size: Number(job.size),
      rows: job.rows,
      processed: job.processed,
      counts: { created, updated, unchanged, skipped, duplicate, failed },
      check_only: job.options?.dry_run ?? false,
      error: job.error,
      created_at: job.createdAt.toISOString(),
      started_at: job.startedAt?.toISOString() ?? null,
      finished_at: job.finishedAt?.toISOString() ?? null,
    };
  }
}

export class ImportView extends ImportOutline {
  @Choice(ENCODINGS, 'Encoding with which the file is read.')
  encoding: string;

  @Text('Character between cells.')
  delimiter: string;

  @TextList('Names of the columns.')
  columns: string[];

  @JsonObject('Fields of contacts by column, guessed from the names of the columns.')
  suggested_mapping: object;

  @JsonObject('Mapping with which the import was last started.', { nullable: true })
  mapping: object | null;

  @ListOf(() => ImportPreviewRow, 'First rows.')
  preview: ImportPreviewRow[];

  @Doc(
    'First rows that were not imported, at most 20. GET /api/imports/ID/rejected.csv returns the first 100,000.',
  )
  @ListOf(() => RejectedRow)
  rejected: RejectedRow[];

  static withDetails(
    job: ContactImport,
    suggestedMapping: object,
    rejected: readonly RejectedRow[],
  ): ImportView {
    return {
      ...ImportOutline.of(job),
      encoding: job.encoding,
      delimiter: job.delimiter,
      columns: job.columns,
      suggested_mapping: suggestedMapping,
      mapping: job.options?.mapping ?? null,
      preview: job.preview.map((cells) => ({ cells })),
      rejected: rejected.map(({ row, reasons }) => ({ row, reasons })),
    };
  }
}

export class ImportPreviewRow {
  @TextList()
  cells: string[];
}

export class RejectedRow {
  @Integer('Number of the row in the file. The names of the columns are row 1.')
  row: number;

  @Text('Its faults.')
  reasons: string;
}

export class ImportResult {
  @Nested(() => ImportView)
  import: ImportView;
}

export class ImportPage extends PageResult {
  @ListOf(() => ImportOutline)
  imports: ImportOutline[];
}
