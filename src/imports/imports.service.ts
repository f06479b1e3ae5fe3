import { Injectable } from '@nestjs/common';
import type { Actor } from '../accounts/account.js';
import { AuditLog } from '../accounts/audit-log.js';
import type { RequestOrigin } from '../accounts/request-origin.js';
import { ContactRulesService } from '../contacts/contact-rules.service.js';
import type { Identifier } from '../contacts/contact-statements.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError, assertFound } from '../errors/app-error.js';
import type { TakeTurn } from '../http/body-chunks.js';
import { pageOf, readTimeCursor, timeCursor } from '../paging/paging.js';
import { WakeUps } from '../queue/wake-ups.js';
import { csvLine } from '../text/csv-line.js';
import { mayHaveMoreMembers } from '../text/json-members.js';
import { guessMapping, matchField, parseMapping } from './column-mapping.js';
import { MOST_CELLS } from './csv-scanner.js';
import type { ContactImport, ImportStatus } from './import.entity.js';
import { ImportsRepository, type NewFault } from './imports.repository.js';
import { PART_BYTES } from './part-bytes.js';

const FAULTS_OF_PART = { rows: 20, bytes: PART_BYTES };
const SHOWN_FAULTS = 20;
const SHOWN_CHARACTERS = 1000;
const ENDED: readonly ImportStatus[] = ['completed', 'failed', 'canceled'];

/** Choices of the caller for the start of an import. */
export interface StartChoices {
  mapping: object | undefined;
  matchBy: Identifier | undefined;
  onExisting: 'update' | 'skip';
  isDryRun: boolean;
  startsWorkflows: boolean;
  source: string;
}

/**
 * Starts, shows and cancels imports. Unless said otherwise, a caller must have opened a transaction of the
 * organization.
 */
@Injectable()
export class ImportsService {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly rules: ContactRulesService,
    private readonly tenants: TenantDatabase,
    private readonly wakeUps: WakeUps,
    private readonly audit: AuditLog,
  ) {}

  /** Returns an import. Throws `not_found` when the organization has no such import. */
  async get(organizationId: string, id: string): Promise<ContactImport> {
    return assertFound(await this.imports.find(organizationId, id), 'import');
  }

  /** Returns the mapping for a call that gives no mapping. */
  async suggestMapping(job: ContactImport): Promise<Record<string, string>> {
    const { properties } = await this.rules.find(job.organizationId);
    return guessMapping(job.columns, [...properties.keys()]);
  }

  /** Returns the suggested mapping, in a transaction of its own. */
  suggestFor(job: ContactImport): Promise<Record<string, string>> {
    const work = () => this.suggestMapping(job);
    return this.tenants.transaction(job.organizationId, work, { readOnly: true });
  }

  /** Returns the first rows that were not imported, in the order of the file. Long reasons are cut. */
  async firstRejected(job: ContactImport): Promise<{ row: number; reasons: string }[]> {
    if (job.failed + job.duplicate === 0) return [];
    return await this.imports.listReasons(job, SHOWN_FAULTS, SHOWN_CHARACTERS);
  }

  /** Returns a page of the imports, the newest first. */
  async list(
    organizationId: string,
    page: { limit: number; cursor: string | undefined },
  ): Promise<{ imports: ContactImport[]; nextCursor: string | null }> {
    const after = readTimeCursor(page.cursor);
    const rows = await this.imports.list(organizationId, after, page.limit + 1);
    const { page: imports, nextCursor } = pageOf(rows, page.limit, timeCursor);
    return { imports, nextCursor };
  }

  /**
   * Lets workers import the file from its first row. An import can be started again after a check, a failure or a
   * cancellation. Throws `not_found`, `invalid_arguments` for a wrong mapping, and `conflict` for an import that runs
   * or is complete.
   */
  async start(organizationId: string, id: string, choices: StartChoices): Promise<ContactImport> {
    const job = assertFound(await this.imports.findForUpdate(organizationId, id), 'import');
    if (job.status === 'uploading')
      throw new AppError(
        'conflict',
        'The file is still being uploaded. Start the import when the upload has ended.',
      );
    if (job.status === 'running') throw new AppError('conflict', 'This import is already running.');
    if (job.status === 'completed') {
      throw new AppError(
        'conflict',
        'This import is complete. Upload the file again to repeat it.',
      );
    }
    const given = choices.mapping ?? (await this.suggestMapping(job));
    const mapping = parseMapping(given, job.columns);
    await this.imports.start(organizationId, id, {
      mapping,
      match_by: matchField(mapping, choices.matchBy),
      on_existing: choices.onExisting,
      dry_run: choices.isDryRun,
      start_workflows: choices.startsWorkflows,
      source: choices.source,
    });
    this.tenants.afterCommit(() => this.wakeUps.wake('import', id, undefined, organizationId));
    return await this.get(organizationId, id);
  }

  /** Ends an import. Contacts that it has written stay. Throws `not_found`, and `conflict` when it has ended. */
  async cancel(organizationId: string, id: string): Promise<ContactImport> {
    const job = assertFound(await this.imports.findForUpdate(organizationId, id), 'import');
    if (ENDED.includes(job.status))
      throw new AppError('conflict', `This import has ended: it is ${job.status}.`);
    await this.imports.end(organizationId, id, 'canceled', null);
    return await this.get(organizationId, id);
  }

  /**
   * Returns, as CSV, the rows that were not imported: the columns of the file, the number of each row and the reasons.
   * Each part is read in its own transaction, and is converted after `takeTurn`. Before the first part, adds an entry to
   * the audit log with the caller, or throws `not_found`.
   */
  async rejectedRows(
    { organizationId, actor }: { organizationId: string; actor: Actor },
    origin: RequestOrigin,
    id: string,
    takeTurn: TakeTurn,
  ): Promise<{ name: string; lines: AsyncGenerator<string> }> {
    const job = await this.tenants.transaction(organizationId, async () => {
      const found = await this.get(organizationId, id);
      await this.audit.record(organizationId, actor, 'export_rejected_rows', id, { origin });
      return found;
    });
    return { name: job.name, lines: this.linesOf(job, takeTurn) };
  }

  private async *linesOf(job: ContactImport, takeTurn: TakeTurn): AsyncGenerator<string> {
    yield csvLine([...job.columns, 'import_row', 'import_errors']);
    for (let after = 0; ;) {
      const faults = await this.tenants.transaction(
        job.organizationId,
        () => this.imports.listFaults(job, after, FAULTS_OF_PART),
        { readOnly: true },
      );
      if (faults.length === 0) return;
      await takeTurn(sizeOf(faults, job.columns.length));
      yield faults
        .map(({ row, cells, reasons }) => {
          const given = parseCells(cells);
          const padded = job.columns.map((_, index) => given[index] ?? '');
          return csvLine([...padded, String(row), reasons]);
        })
        .join('');
      after = faults.at(-1)!.row;
    }
  }
}

/** Returns the size of the lines of these rows. Each column adds at least a comma to a line. */
function sizeOf(faults: readonly NewFault[], columns: number): number {
  return faults.reduce(
    (sum, { cells, reasons }) => sum + cells.length + reasons.length + columns,
    0,
  );
}

/**
 * Returns the cells of a row. Returns no cells when SQL of a tool has stored more cells than a row of a file can have.
 */
function parseCells(json: string): readonly string[] {
  return mayHaveMoreMembers(json, 2 * MOST_CELLS) ? [] : (JSON.parse(json) as string[]);
}
