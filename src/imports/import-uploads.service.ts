import { Injectable } from '@nestjs/common';
import { isUtf8 } from 'node:buffer';
import type { Actor } from '../accounts/account.js';
import { AuditLog } from '../accounts/audit-log.js';
import type { RequestOrigin } from '../accounts/request-origin.js';
import { Env } from '../config/env.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError, assertFound } from '../errors/app-error.js';
import type { TakeTurn } from '../http/body-chunks.js';
import { newId } from '../text/ids.js';
import { storable } from '../text/storable.js';
import { type CsvPart, CsvScanner, firstRow } from './csv-scanner.js';
import type { ContactImport, Encoding } from './import.entity.js';
import { ImportsRepository } from './imports.repository.js';
import {
  type RowReader,
  decode,
  detectDelimiter,
  loadRowReader,
  nameColumns,
} from './read-rows.js';
import { type TextSource, openText } from './text-source.js';

/**
 * The largest number of files of an organization that wait for their import. Without this limit, such files could fill
 * the storage.
 */
const MOST_OPEN = 20;
/** The number of parts that one statement stores. Each part has 64 KiB. */
const PARTS_AT_ONCE = 8;
const PREVIEW_ROWS = 5;
const PREVIEW_CHARACTERS = 200;
const MEGABYTE = 1024 * 1024;

export interface Uploader {
  readonly organizationId: string;
  readonly actor: Actor;
  readonly origin: RequestOrigin;
}

/** A file. When the encoding or the delimiter is absent, it is detected. */
export interface UploadFacts {
  readonly name: string;
  readonly encoding: 'utf-8' | 'windows-1252' | undefined;
  readonly delimiter: string | undefined;
}

/** The delimiter and the parser of a file. */
interface CsvFormat {
  readonly delimiter: string;
  readonly read: RowReader;
}

/** Stores uploaded files part by part while they arrive, so that a file of any size needs little memory. */
@Injectable()
export class ImportUploadsService {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly tenants: TenantDatabase,
    private readonly audit: AuditLog,
    private readonly env: Env,
  ) {}

  /**
   * Stores a file and returns its import. Waits for `takeTurn` before each part of the work that takes long. Otherwise
   * uploads whose bytes arrive together would stop the process for a second. Throws `payload_too_large`, `conflict` for
   * too many files, and `invalid_arguments` for a file that is not CSV. Throws the errors of `takeTurn` too. After an
   * error, nothing is stored.
   */
  async upload(
    uploader: Uploader,
    body: AsyncIterable<Buffer>,
    given: UploadFacts,
    takeTurn: TakeTurn,
  ): Promise<ContactImport> {
    const read = await loadRowReader();
    const source = await openText(body, given.encoding, this.env.importMb * MEGABYTE, takeTurn);
    const { sample, encoding } = source;
    const delimiter = given.delimiter ?? (await detectDelimiter(sample, encoding, read, takeTurn));
    assertHeader(firstRow(sample, delimiter));
    const { organizationId } = uploader;
    const id = newId('imp');
    await this.tenants.transaction(organizationId, async () => {
      // Without the lock, uploads at the same time would count the same files, and together exceed the limit.
      await this.tenants.lockOrganization(organizationId);
      if ((await this.imports.countOpen(organizationId)) >= MOST_OPEN) {
        throw new AppError(
          'conflict',
          `At most ${MOST_OPEN} uploads can wait. Start or cancel some with start_import and cancel_import.`,
        );
      }
      await this.imports.insert(organizationId, { id, name: given.name, encoding, delimiter });
    });
    try {
      return await this.store(uploader, id, source, { delimiter, read }, takeTurn);
    } catch (error) {
      await this.tenants
        .transaction(organizationId, () => this.imports.deleteUpload(organizationId, id))
        .catch(() => undefined);
      throw error;
    }
  }

  private async store(
    { organizationId, actor, origin }: Uploader,
    id: string,
    source: TextSource,
    { delimiter, read }: CsvFormat,
    takeTurn: TakeTurn,
  ): Promise<ContactImport> {
    const scanner = new CsvScanner(delimiter);
    const waiting: CsvPart[] = [];
    let chunks = 0;
    let { encoding } = source;
    let first: CsvPart | undefined;
    const flush = async (): Promise<void> => {
      if (waiting.length === 0) return;
      const parts = waiting.splice(0);
      await this.tenants.transaction(organizationId, () =>
        this.imports.insertChunks(organizationId, id, chunks, parts),
      );
      chunks += parts.length;
    };
    const take = async (parts: readonly CsvPart[]): Promise<void> => {
      for (const part of parts) {
        first ??= part;
        encoding = encodingAfter(part, encoding, source.isEncodingFixed);
        waiting.push(part);
        if (waiting.length >= PARTS_AT_ONCE) await flush();
      }
    };
    await takeTurn(source.sample.length);
    for await (const bytes of source.bytes) await take(scanner.push(bytes));
    await take(scanner.end());
    await flush();
    if (!first || scanner.rows < 2) {
      throw AppError.invalid(
        'The file has no rows. Its first row must have the names of the columns.',
      );
    }
    await takeTurn(first.bytes.length);
    const rows = read(decode(first.bytes, encoding), delimiter, PREVIEW_ROWS + 1);
    const columns = nameColumns(rows[0]!);
    const facts = {
      encoding,
      columns,
      preview: rows.slice(1).map((cells) => cells.slice(0, columns.length).map(shorten)),
      rows: scanner.rows - 1,
      chunks,
      size: source.size(),
    };
    return await this.tenants.transaction(organizationId, async () => {
      if (!(await this.imports.finishUpload(organizationId, id, facts))) {
        throw new AppError('conflict', 'The import was canceled during its upload.');
      }
      await this.audit.record(organizationId, actor, 'upload_import', id, { origin });
      return assertFound(await this.imports.find(organizationId, id), 'import');
    });
  }
}

/**
 * Throws for a file without a row, and for bytes that are not text. The row is not parsed. Otherwise uploads that are
 * refused would take as long as others, and could be repeated without limit.
 */
function assertHeader(row: Buffer | undefined): void {
  if (!row) throw AppError.invalid('The file is empty.');
  if (!row.includes(0)) return;
  throw AppError.invalid(
    'The file is not text, or it is UTF-16 without a byte order mark. Save it as CSV in UTF-8.',
  );
}

/**
 * Returns the encoding of the file after a part. Bytes that are not UTF-8 change the encoding of the whole file, unless
 * the sender chose it.
 */
function encodingAfter(part: CsvPart, encoding: Encoding, isFixed: boolean): Encoding {
  if (encoding !== 'utf-8' || isUtf8(part.bytes)) return encoding;
  if (!isFixed) return 'windows-1252';
  throw AppError.invalid(
    `The file is not valid UTF-8 after row ${part.firstRow}. Save it in UTF-8, or choose another encoding.`,
  );
}

function shorten(cell: string): string {
  return storable(cell.slice(0, PREVIEW_CHARACTERS));
}
