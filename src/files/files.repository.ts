import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { FileChunk, StoredFile } from './file.entity.js';

export const CHUNK_BYTES = 512 * 1024;

export type NewFile = Omit<StoredFile, 'organizationId' | 'createdAt' | 'isUploading'>;

@Injectable()
export class FilesRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Stores a file with its bytes. Does nothing when the same file is stored already. */
  async insert(organizationId: string, file: NewFile, bytes: Buffer): Promise<void> {
    const inserted = await this.tenants.session(organizationId).query<{ id: string }>(
      `insert into files (organization_id, id, run_id, name, content_type, size, sha256)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict on constraint files_pkey do nothing returning id`,
      [organizationId, file.id, file.runId, file.name, file.contentType, file.size, file.sha256],
    );
    if (inserted.length === 0) return;
    for (let start = 0, position = 0; start < bytes.length; start += CHUNK_BYTES, position += 1) {
      const part = bytes.subarray(start, start + CHUNK_BYTES);
      await this.insertChunk(organizationId, file.id, position, part);
    }
  }

  async insertChunk(
    organizationId: string,
    fileId: string,
    position: number,
    bytes: Buffer,
  ): Promise<void> {
    await this.tenants
      .session(organizationId)
      .query(
        'insert into file_chunks (organization_id, file_id, position, bytes) values ($1, $2, $3, $4)',
        [organizationId, fileId, position, bytes],
      );
  }

  /** Returns the files that have arrived. */
  async find(organizationId: string, ids: readonly string[]): Promise<StoredFile[]> {
    return await this.tenants
      .repository(organizationId, StoredFile)
      .findBy({ organizationId, id: In(ids), isUploading: false });
  }

  /** Returns the files as {@link find} does. Nobody can delete them before the transaction ends. */
  async findAndKeep(organizationId: string, ids: readonly string[]): Promise<StoredFile[]> {
    await this.tenants
      .session(organizationId)
      .query(
        'select from files where organization_id = $1 and id = any($2) order by id for key share',
        [organizationId, ids],
      );
    return await this.find(organizationId, ids);
  }

  /** Returns a part of the bytes. Returns undefined after the last part, and when the file was deleted. */
  async findChunk(
    organizationId: string,
    fileId: string,
    position: number,
  ): Promise<Buffer | undefined> {
    const chunk = await this.tenants
      .repository(organizationId, FileChunk)
      .findOneBy({ organizationId, fileId, position });
    return chunk?.bytes;
  }

  /** Stores a file and its bytes again, for another run or as an upload. */
  async copy(
    organizationId: string,
    id: string,
    to: { readonly id: string; readonly runId: string | null },
  ): Promise<void> {
    const session = this.tenants.session(organizationId);
    await session.query(
      `insert into files (organization_id, id, run_id, name, content_type, size, sha256)
       select organization_id, $3, $4, name, content_type, size, sha256 from files
       where organization_id = $1 and id = $2`,
      [organizationId, id, to.id, to.runId],
    );
    await session.query(
      `insert into file_chunks (organization_id, file_id, position, bytes)
       select organization_id, $3, position, bytes from file_chunks where organization_id = $1 and file_id = $2`,
      [organizationId, id, to.id],
    );
  }

  /** Returns the bytes from `start` (inclusive) to `end` (exclusive), or fewer bytes at the end of the file. */
  async findRange(organizationId: string, id: string, start: number, end: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (
      let position = Math.floor(start / CHUNK_BYTES);
      position * CHUNK_BYTES < end;
      position += 1
    ) {
      const offset = position * CHUNK_BYTES;
      const from = Math.max(0, start - offset);
      const [row] = await this.tenants.session(organizationId).query<{ bytes: Buffer }>(
        `select substring(bytes from $4 for $5) as bytes from file_chunks
         where organization_id = $1 and file_id = $2 and position = $3`,
        [organizationId, id, position, from + 1, Math.min(end - offset, CHUNK_BYTES) - from],
      );
      if (!row) break;
      parts.push(row.bytes);
    }
    return Buffer.concat(parts);
  }
}
