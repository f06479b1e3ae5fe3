import { Injectable, Logger } from '@nestjs/common';
import { ContactRulesService } from '../contacts/contact-rules.service.js';
import { isQuotaExceeded } from '../database/quota-exceeded.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { toError } from '../errors/app-error.js';
import type { Claim } from '../queue/leased-work.js';
import type { ImportChunk } from './import-part.entity.js';
import { isPart } from './csv-scanner.js';
import { ImportClaimsRepository } from './import-claims.repository.js';
import { ImportRowsService, type NumberedRow, type ReadRows } from './import-rows.service.js';
import type { ContactImport } from './import.entity.js';
import { ImportsRepository } from './imports.repository.js';
import { DELIMITERS, type RowReader, decode, loadRowReader } from './read-rows.js';

/** The number of crashes at the same part of a file after which no worker tries the part again. */
const MOST_ATTEMPTS = 5;

/** The longest time of a turn of an organization. The next turns belong to other organizations. */
const TURN_MS = 5000;

/** A part of the file that is read while the previous part is written. */
interface ReadPart {
  readonly position: number;
  readonly isLast: boolean;
  readonly rows: ReadRows;
}

/** The error that rolls a transaction back after another worker has claimed the import or a person has canceled it. */
class LostClaim extends Error {}

/** The error that ends an import whose stored file no upload can have stored. */
class InvalidFile extends Error {
  constructor() {
    super('The stored file has a part or a delimiter that no upload has. Upload the file again.');
  }
}

/**
 * Imports the files of claimed imports part by part. Each part is committed together with the new position in the file.
 */
@Injectable()
export class ClaimedImportsService {
  /** The longest time of a turn, in milliseconds. Each turn writes at least one part. */
  turnMs = TURN_MS;
  private readonly logger = new Logger(ClaimedImportsService.name);

  constructor(
    private readonly imports: ImportsRepository,
    private readonly claims: ImportClaimsRepository,
    private readonly rows: ImportRowsService,
    private readonly rules: ContactRulesService,
    private readonly tenants: TenantDatabase,
  ) {}

  /**
   * Returns when the import, the turn or the claim has ended, or when `signal` aborts. While PostgreSQL writes the
   * contacts of a part, this process reads the next one.
   */
  async run(claim: Claim, signal: AbortSignal): Promise<void> {
    const endsAt = performance.now() + this.turnMs;
    const { organizationId } = claim;
    const isRunning = await this.tenants.transaction(organizationId, () => this.begin(claim));
    if (isRunning) {
      await this.importParts(claim, endsAt, signal).catch(async (error: unknown) => {
        if (!(error instanceof InvalidFile)) throw error;
        await this.fail(claim, error.message);
      });
    }
    if (signal.aborted) return;
    await this.tenants.transaction(organizationId, () => this.claims.endTurn(claim));
  }

  private async importParts(claim: Claim, endsAt: number, signal: AbortSignal): Promise<void> {
    const parse = await loadRowReader();
    let part = await this.readPart(claim, parse);
    while (part && !signal.aborted) {
      const isLast = part.isLast || performance.now() >= endsAt;
      const next = isLast ? null : this.readPart(claim, parse, part.position + 1);
      // The next part is awaited only after this part. Until then, a failure of the next part must not end the process
      // as an unhandled rejection.
      next?.catch(() => undefined);
      if (!(await this.writePart(claim, part))) return;
      part = await next;
    }
  }

  /**
   * Returns false when the claim is lost. After too many crashes, marks the import as failed and returns false. Without
   * this check before the first part, a part that cannot be read would be tried forever.
   */
  private async begin(claim: Claim): Promise<boolean> {
    const job = await this.claims.findClaimed(claim);
    if (!job || job.attempts <= MOST_ATTEMPTS) return job !== null;
    const error = `The import stopped ${MOST_ATTEMPTS} times after row ${job.processed + 1}. Ask the operator for the log.`;
    this.logger.error(`Import ${claim.id} failed: ${error}`);
    await this.imports.end(claim.organizationId, claim.id, 'failed', error);
    return false;
  }

  /**
   * Reads and checks a part of the file. When no position is given, reads the first part that is not done. Returns null
   * when the claim is lost. Throws {@link InvalidFile}.
   */
  private async readPart(
    claim: Claim,
    parse: RowReader,
    position?: number,
  ): Promise<ReadPart | null> {
    const { organizationId, id } = claim;
    const found = await this.tenants.transaction(
      organizationId,
      async () => {
        const job = await this.claims.findClaimed(claim);
        if (!job) return null;
        const chunk = await this.imports.findChunk(organizationId, id, position ?? job.nextChunk);
        return { job, chunk, rules: await this.rules.find(organizationId) };
      },
      { readOnly: true },
    );
    if (!found) return null;
    const { job, chunk, rules } = found;
    const at = position ?? job.nextChunk;
    const rows = chunk ? rowsOf(job, chunk, parse) : [];
    return {
      position: at,
      isLast: at + 1 >= job.chunks,
      rows: await this.rows.read(job, rows, rules),
    };
  }

  /** Writes a part. Returns false when there is nothing more to do. */
  private async writePart(claim: Claim, part: ReadPart): Promise<boolean> {
    const { organizationId } = claim;
    try {
      return await this.tenants.transaction(organizationId, async () => {
        const job = await this.claims.findClaimed(claim);
        return job !== null && (await this.importPart(claim, job, part));
      });
    } catch (error) {
      if (error instanceof LostClaim) return false;
      if (!isQuotaExceeded(error)) throw error;
      await this.fail(claim, toError(error).message);
      return false;
    }
  }

  /** Marks the import as failed, unless the claim was lost. */
  private async fail(claim: Claim, message: string): Promise<void> {
    const { organizationId, id } = claim;
    await this.tenants.transaction(organizationId, async () => {
      if (await this.claims.findClaimed(claim)) {
        await this.imports.end(organizationId, id, 'failed', message);
      }
    });
  }

  private async importPart(
    claim: Claim,
    job: ContactImport,
    { position, isLast, rows }: ReadPart,
  ): Promise<boolean> {
    const { organizationId, id } = claim;
    if (job.nextChunk !== position) throw new LostClaim();
    const counts = await this.rows.write(job, rows);
    if (!(await this.claims.advance(claim, rows.given.length, counts))) throw new LostClaim();
    if (!isLast) return true;
    const status = job.options!.dry_run ? 'checked' : 'completed';
    await this.imports.end(organizationId, id, status, null);
    return false;
  }
}

/**
 * Returns the rows of a chunk without the row that has the names of the columns. Throws {@link InvalidFile} for a file
 * that only SQL of a tool can store, because parsing it could block the process.
 */
function rowsOf(job: ContactImport, chunk: ImportChunk, parse: RowReader): NumberedRow[] {
  const isKnown = DELIMITERS.some((delimiter) => delimiter === job.delimiter);
  if (!isKnown || !isPart(chunk, job.delimiter)) {
    throw new InvalidFile();
  }
  return parse(decode(chunk.bytes, job.encoding), job.delimiter)
    .map((cells, index) => ({ number: chunk.firstRow + index, cells }))
    .filter(({ number }) => number > 1);
}
