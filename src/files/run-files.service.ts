import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { FilesRepository } from './files.repository.js';

/** A file that Switchboard itself keeps with a run. */
export interface RunFile {
  readonly id: string;
  readonly runId: string;
  readonly name: string;
  readonly contentType: string;
}

/** Keeps files that no step has received, such as large payloads, with their runs, and reads parts of them. */
@Injectable()
export class RunFilesService {
  constructor(
    private readonly files: FilesRepository,
    private readonly tenants: TenantDatabase,
  ) {}

  /** Returns the id of the file with this key of a run. */
  idOf(runId: string, key: string): string {
    const digest = createHash('sha256').update(`${key} of ${runId}`).digest('base64url');
    return `fil_${digest.slice(0, 22)}`;
  }

  /** Stores a file of at most 10 MiB. Call it in the transaction that inserts the run. */
  async store(organizationId: string, file: RunFile, bytes: Buffer): Promise<void> {
    const sha256 = createHash('sha256').update(bytes).digest();
    await this.files.insert(organizationId, { ...file, size: bytes.length, sha256 }, bytes);
  }

  /** Stores a file again for another run, in the transaction that inserts the run. */
  async copy(organizationId: string, id: string, to: Pick<RunFile, 'id' | 'runId'>): Promise<void> {
    await this.files.copy(organizationId, id, to);
  }

  /** Returns the bytes from `start` (inclusive) to `end` (exclusive), or fewer bytes at the end of the file. */
  async read(
    organizationId: string,
    id: string,
    { start, end }: { readonly start: number; readonly end: number },
  ): Promise<Buffer> {
    return await this.tenants.transaction(
      organizationId,
      () => this.files.findRange(organizationId, id, start, end),
      { readOnly: true },
    );
  }
}
