import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { Actor } from '../accounts/account.js';
import { AuditLog } from '../accounts/audit-log.js';
import type { RequestOrigin } from '../accounts/request-origin.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import type { StoredFile } from './file.entity.js';
import { CHUNK_BYTES, FilesRepository } from './files.repository.js';
import { FilesService, MOST_FILE_BYTES, mediaTypeOf, newFileId } from './files.service.js';
import { UploadsRepository } from './uploads.repository.js';

/** The largest number of files of an organization that are arriving at the same time. The quota does not count them. */
const MOST_OPEN = 20;

export interface FileUploader {
  readonly organizationId: string;
  readonly actor: Actor;
  readonly origin: RequestOrigin;
}

/** Stores uploaded files in parts as they arrive. So an upload needs little memory and keeps no database connection. */
@Injectable()
export class UploadsService {
  constructor(
    private readonly uploads: UploadsRepository,
    private readonly repository: FilesRepository,
    private readonly files: FilesService,
    private readonly tenants: TenantDatabase,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Stores a file. Throws `payload_too_large`, and `conflict` for too many uploads. After an error, nothing is stored.
   */
  async upload(
    uploader: FileUploader,
    body: AsyncIterable<Buffer>,
    { name, contentType }: { readonly name: string; readonly contentType: string | undefined },
  ): Promise<StoredFile> {
    const { organizationId } = uploader;
    const id = newFileId();
    await this.tenants.transaction(organizationId, async () => {
      // Without the lock, uploads at the same time would count the same files, and together exceed the limit.
      await this.tenants.lockOrganization(organizationId);
      if ((await this.uploads.countOpen(organizationId)) >= MOST_OPEN) {
        throw new AppError(
          'conflict',
          `At most ${MOST_OPEN} files can be uploaded at the same time. Wait until one ends.`,
        );
      }
      const file = { id, name, contentType: mediaTypeOf(contentType) };
      await this.uploads.begin(organizationId, file);
    });
    try {
      return await this.store(uploader, id, body);
    } catch (error) {
      await this.tenants
        .transaction(organizationId, () => this.uploads.abandon(organizationId, id))
        .catch(() => undefined);
      throw error;
    }
  }

  private async store(
    { organizationId, actor, origin }: FileUploader,
    id: string,
    body: AsyncIterable<Buffer>,
  ): Promise<StoredFile> {
    const hash = createHash('sha256');
    let waiting: Buffer[] = [];
    let waitingBytes = 0;
    let size = 0;
    let position = 0;
    const flush = async (least: number): Promise<void> => {
      while (waitingBytes > 0 && waitingBytes >= least) {
        const joined = Buffer.concat(waiting);
        const part = joined.subarray(0, CHUNK_BYTES);
        const rest = joined.subarray(CHUNK_BYTES);
        await this.tenants.transaction(organizationId, () =>
          this.repository.insertChunk(organizationId, id, position, part),
        );
        position += 1;
        waiting = rest.length > 0 ? [rest] : [];
        waitingBytes = rest.length;
      }
    };
    for await (const bytes of body) {
      size += bytes.length;
      if (size > MOST_FILE_BYTES) {
        throw new AppError(
          'payload_too_large',
          `A file has at most ${MOST_FILE_BYTES} bytes (10 MiB).`,
        );
      }
      hash.update(bytes);
      waiting.push(bytes);
      waitingBytes += bytes.length;
      await flush(CHUNK_BYTES);
    }
    await flush(1);
    return await this.tenants.transaction(organizationId, async () => {
      await this.uploads.finish(organizationId, id, { size, sha256: hash.digest() });
      await this.audit.record(organizationId, actor, 'upload_file', id, { origin });
      return await this.files.get(organizationId, id);
    });
  }
}
