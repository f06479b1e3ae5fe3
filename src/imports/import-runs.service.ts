import { Injectable, Logger } from '@nestjs/common';
import { isQuotaExceeded } from '../database/quota-exceeded.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { toError } from '../errors/app-error.js';
import type { Claim } from '../queue/leased-work.js';
import { ImportRowsService } from './import-rows.service.js';
import type { ContactImport } from './import.entity.js';
import { ImportsRepository } from './imports.repository.js';
import { type RowReader, decode, loadRowReader } from './read-rows.js';

/** Workers that crashed this many times at the same part of a file do not try it again. */
const MOST_ATTEMPTS = 5;

/** Is thrown to roll a transaction back after another worker has claimed the import, or a person has canceled it. */
class LostClaim extends Error {}

/** Imports the files of claimed imports part by part. Each part commits together with the position after it. */
@Injectable()
export class ImportRunsService {
  private readonly logger = new Logger(ImportRunsService.name);

  constructor(
    private readonly imports: ImportsRepository,
    private readonly rows: ImportRowsService,
    private readonly tenants: TenantDatabase,
  ) {}

  /** Returns when the import has ended, the claim is lost, or `signal` aborts. */
  async run(claim: Claim, signal: AbortSignal): Promise<void> {
    const read = await loadRowReader();
    while (!signal.aborted && (await this.runPart(claim, read)));
  }

  /** Returns false when there is nothing more to do. */
  private async runPart(claim: Claim, read: RowReader): Promise<boolean> {
    const { organizationId, id } = claim;
    try {
      return await this.tenants.transaction(organizationId, async () => {
        const job = await this.imports.findClaimed(claim);
        return job !== null && (await this.importPart(claim, job, read));
      });
    } catch (error) {
      if (error instanceof LostClaim) return false;
      if (!isQuotaExceeded(error)) throw error;
      await this.tenants.transaction(organizationId, async () => {
        if (await this.imports.findClaimed(claim)) {
          await this.imports.end(organizationId, id, 'failed', toError(error).message);
        }
      });
      return false;
    }
  }

  private async importPart(claim: Claim, job: ContactImport, read: RowReader): Promise<boolean> {
    const { organizationId, id } = claim;
    if (job.attempts > MOST_ATTEMPTS) {
      const error = `The import stopped ${MOST_ATTEMPTS} times after row ${job.processed + 1}. Ask the operator for the log.`;
      this.logger.error(`Import ${id} failed: ${error}`);
      await this.imports.end(organizationId, id, 'failed', error);
      return false;
    }
    const chunk = await this.imports.findChunk(organizationId, id, job.nextChunk);
    if (chunk) {
      const all = read(decode(chunk.bytes, job.encoding), job.delimiter);
      const numbered = all.map((cells, index) => ({ number: chunk.firstRow + index, cells }));
      const rows = numbered.filter(({ number }) => number > 1);
      const counts = await this.rows.write(job, rows);
      if (!(await this.imports.advance(claim, rows.length, counts))) throw new LostClaim();
    }
    if (chunk && job.nextChunk + 1 < job.chunks) return true;
    const status = job.options!.dry_run ? 'checked' : 'completed';
    await this.imports.end(organizationId, id, status, null);
    return false;
  }
}
