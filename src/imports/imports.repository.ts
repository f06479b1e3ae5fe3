import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { TimePosition } from '../paging/paging.js';
import type { CsvPart } from './csv-scanner.js';
import { ImportChunk, ImportFault } from './import-part.entity.js';
import { ContactImport, type Encoding, type ImportStatus } from './import.entity.js';
import type { ImportOptions } from './import-options.js';

/** The number of rows for each outcome. */
export type ImportCounts = Pick<
  ContactImport,
  'created' | 'updated' | 'unchanged' | 'skipped' | 'duplicate' | 'failed'
>;

/** A row that was not imported. */
export type NewFault = Pick<ImportFault, 'row' | 'cells' | 'reasons'>;

const NO_COUNTS = {
  processed: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  skipped: 0,
  duplicate: 0,
  failed: 0,
} as const;

/** Stores uploads and the progress of imports. Every method needs a transaction of the organization. */
@Injectable()
export class ImportsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  async insert(
    organizationId: string,
    given: { id: string; name: string; encoding: Encoding; delimiter: string },
  ): Promise<void> {
    const { id, name, encoding, delimiter } = given;
    await this.session(organizationId).query(
      `insert into imports (organization_id, id, name, encoding, delimiter, columns) values ($1, $2, $3, $4, $5, '[]')`,
      [organizationId, id, name, encoding, delimiter],
    );
  }

  /** Returns the number of files that are stored and have not been imported. */
  async countOpen(organizationId: string): Promise<number> {
    const [row] = await this.session(organizationId).query<{ count: number }>(
      `select cast(count(*) as integer) as count from imports
       where organization_id = $1 and status in ('uploading', 'uploaded', 'running', 'checked')`,
      [organizationId],
    );
    return row!.count;
  }

  async insertChunks(
    organizationId: string,
    importId: string,
    firstPosition: number,
    parts: readonly CsvPart[],
  ): Promise<void> {
    await this.session(organizationId).query(
      `insert into import_chunks (organization_id, import_id, position, first_row, bytes)
       select $1, $2, $3 + given.number - 1, given.first_row, given.bytes
       from unnest($4::integer[], $5::bytea[]) with ordinality as given (first_row, bytes, number)`,
      [
        organizationId,
        importId,
        firstPosition,
        parts.map(({ firstRow }) => firstRow),
        parts.map(({ bytes }) => bytes),
      ],
    );
  }

  /** Stores the facts of a complete upload. Returns false when the import was canceled meanwhile. */
  async finishUpload(
    organizationId: string,
    id: string,
    facts: Pick<ContactImport, 'encoding' | 'columns' | 'preview' | 'rows' | 'chunks'> & {
      size: number;
    },
  ): Promise<boolean> {
    const rows = await this.session(organizationId).query(
      `update imports set status = 'uploaded', encoding = $3, columns = $4, preview = $5, size = $6, rows = $7, chunks = $8
       where organization_id = $1 and id = $2 and status = 'uploading' returning id`,
      [
        organizationId,
        id,
        facts.encoding,
        JSON.stringify(facts.columns),
        JSON.stringify(facts.preview),
        facts.size,
        facts.rows,
        facts.chunks,
      ],
    );
    return rows.length === 1;
  }

  /** Deletes an upload that did not end. An import that was canceled meanwhile stays. */
  async deleteUpload(organizationId: string, id: string): Promise<void> {
    await this.tenants
      .repository(organizationId, ContactImport)
      .delete({ organizationId, id, status: 'uploading' });
  }

  async find(organizationId: string, id: string): Promise<ContactImport | null> {
    return await this.tenants
      .repository(organizationId, ContactImport)
      .findOneBy({ organizationId, id });
  }

  /** Finds the import and locks its row until the transaction ends. */
  async findForUpdate(organizationId: string, id: string): Promise<ContactImport | null> {
    return await this.tenants.repository(organizationId, ContactImport).findOne({
      where: { organizationId, id },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Returns at most `limit` imports that are older than `before`, newest first. */
  async list(
    organizationId: string,
    before: TimePosition | undefined,
    limit: number,
  ): Promise<ContactImport[]> {
    const query = this.tenants
      .repository(organizationId, ContactImport)
      .createQueryBuilder('import')
      .where('import.organizationId = :organizationId', { organizationId })
      .orderBy('import.createdAt', 'DESC')
      .addOrderBy('import.id', 'DESC')
      .limit(limit);
    if (before) query.andWhere('(import.createdAt, import.id) < (:at, :id)', before);
    return await query.getMany();
  }

  /** Lets workers claim the import, and begin with its first row. */
  async start(organizationId: string, id: string, options: ImportOptions): Promise<void> {
    await this.tenants
      .repository(organizationId, ContactImport)
      .createQueryBuilder()
      .update()
      .set({
        ...NO_COUNTS,
        status: 'running',
        options,
        nextChunk: 0,
        attempts: 0,
        error: null,
        leaseUntil: null,
        finishedAt: null,
        startedAt: () => 'now()',
        generation: () => 'generation + 1',
      })
      .where({ organizationId, id })
      .execute();
  }

  /** Ends a running import. Its worker loses the claim. */
  async end(
    organizationId: string,
    id: string,
    status: ImportStatus,
    error: string | null,
  ): Promise<void> {
    await this.tenants
      .repository(organizationId, ContactImport)
      .createQueryBuilder()
      .update()
      .set({
        status,
        error,
        leaseUntil: null,
        finishedAt: () => 'now()',
        epoch: () => 'epoch + 1',
      })
      .where({ organizationId, id })
      .execute();
  }

  async findChunk(
    organizationId: string,
    importId: string,
    position: number,
  ): Promise<ImportChunk | null> {
    return await this.tenants
      .repository(organizationId, ImportChunk)
      .findOneBy({ organizationId, importId, position });
  }

  /** Returns the given keys that were stored since the last start of the import, each with the number of its row. */
  async findKeys(
    { organizationId, id, generation }: ContactImport,
    keys: readonly string[],
  ): Promise<Map<string, number>> {
    const rows = await this.session(organizationId).query<{ key: string; row: number }>(
      `select key, row from import_keys
       where organization_id = $1 and import_id = $2 and generation = $3 and key = any($4::uuid[])`,
      [organizationId, id, generation, keys],
    );
    return new Map(rows.map(({ key, row }) => [key, row]));
  }

  async insertKeys(
    { organizationId, id, generation }: ContactImport,
    keys: ReadonlyMap<string, number>,
  ): Promise<void> {
    if (keys.size === 0) return;
    await this.session(organizationId).query(
      `insert into import_keys (organization_id, import_id, generation, key, row)
       select $1, $2, $3, key, row from unnest($4::uuid[], $5::integer[]) as given (key, row)`,
      [organizationId, id, generation, [...keys.keys()], [...keys.values()]],
    );
  }

  async insertFaults(
    { organizationId, id, generation }: ContactImport,
    faults: readonly NewFault[],
  ): Promise<void> {
    if (faults.length === 0) return;
    await this.session(organizationId).query(
      `insert into import_faults (organization_id, import_id, generation, row, cells, reasons)
       select $1, $2, $3, given.row, given.cells, given.reasons
       from unnest($4::integer[], $5::text[], $6::text[]) as given (row, cells, reasons)`,
      [
        organizationId,
        id,
        generation,
        faults.map(({ row }) => row),
        faults.map(({ cells }) => cells),
        faults.map(({ reasons }) => reasons),
      ],
    );
  }

  /**
   * Returns rows that were not imported, after the row `after`, in the order of the file. Returns at most `most.rows`
   * rows with together at most `most.bytes` bytes, but at least one row, if there is one.
   */
  async listFaults(
    { organizationId, id, generation }: ContactImport,
    after: number,
    most: { rows: number; bytes: number },
  ): Promise<NewFault[]> {
    return await this.session(organizationId).query<NewFault>(
      `select part.row, part.cells, part.reasons from (
         select next.*, row_number() over in_order as number,
           sum(octet_length(next.cells) + octet_length(next.reasons)) over in_order as bytes
         from (
           select fault.row, fault.cells, fault.reasons from import_faults fault
           where fault.organization_id = $1 and fault.import_id = $2 and fault.generation = $3 and fault.row > $4
           order by fault.row limit $5
         ) next window in_order as (order by next.row)
       ) part where part.number = 1 or part.bytes <= $6 order by part.row`,
      [organizationId, id, generation, after, most.rows, most.bytes],
    );
  }

  /** Returns the reasons of the first rows that were not imported, each cut to `characters`, without the cells. */
  async listReasons(
    { organizationId, id, generation }: ContactImport,
    limit: number,
    characters: number,
  ): Promise<{ row: number; reasons: string }[]> {
    return await this.session(organizationId).query<{ row: number; reasons: string }>(
      `select row, left(reasons, $4) as reasons from import_faults
       where organization_id = $1 and import_id = $2 and generation = $3 order by row limit $5`,
      [organizationId, id, generation, characters, limit],
    );
  }

  private session(organizationId: string) {
    return this.tenants.session(organizationId);
  }
}
