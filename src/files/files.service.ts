import { Injectable } from '@nestjs/common';
import { createHash, randomBytes } from 'node:crypto';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { ByteBudget } from './byte-budget.js';
import type { StoredFile } from './file.entity.js';
import { FilesRepository, type NewFile } from './files.repository.js';

/** The largest number of bytes of a file, and of all files of one request. */
export const MOST_FILE_BYTES = 10 * 1024 * 1024;
/**
 * The largest number of bytes of files that a process has in memory while it sends them. The same limit applies to
 * received files.
 */
const MOST_BYTES_IN_MEMORY = 60 * 1024 * 1024;
const DEFAULT_TYPE = 'application/octet-stream';
/** Matches a media type of limited length. */
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(?:\s*;[\x20-\x7e]{0,100})?$/;
const ID = /^fil_[\w-]{22}$/;

/** A file in the result of a step. */
export interface FileFacts {
  readonly id: string;
  readonly name: string;
  readonly content_type: string;
  readonly size: number;
  /** The SHA-256 of the bytes, as 64 hexadecimal digits. */
  readonly sha256: string;
}

/** A file that another system sent. */
export interface ReceivedFile {
  readonly name: string;
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
  /**
   * A text that distinguishes the calls of one run. A repeated call with the same key and bytes keeps the same file.
   */
  readonly key: string;
}

export interface LoadedFile extends FileFacts {
  readonly bytes: Buffer;
}

/** Files in memory. The memory stays reserved until `release` is called. */
export interface HeldFiles {
  /** The bytes of each file, in parts. */
  readonly files: readonly (readonly Buffer[])[];
  readonly release: () => void;
}

/** Keeps the files that steps receive, with their run, and gives them to later steps and people. */
@Injectable()
export class FilesService {
  private readonly sending = new ByteBudget(MOST_BYTES_IN_MEMORY);
  /**
   * A call that sends a file may also receive one. With one budget for both directions, such calls could wait for each
   * other.
   */
  private readonly receiving = new ByteBudget(MOST_BYTES_IN_MEMORY);
  private readonly reserved = new WeakSet<ToolCall>();

  constructor(
    private readonly files: FilesRepository,
    private readonly tenants: TenantDatabase,
  ) {}

  /**
   * Reserves memory for a file that the call receives, until the call ends. Waits while the process has too little
   * memory.
   */
  async reserve(call: ToolCall, signal: AbortSignal): Promise<void> {
    if (this.reserved.has(call)) return;
    const release = await this.receiving.acquire(call.organizationId, MOST_FILE_BYTES, signal);
    this.reserved.add(call);
    call.end?.release(release);
  }

  /**
   * Returns the facts about the file immediately. The file itself is stored later, in the transaction that records the
   * result of the call.
   */
  keep(call: ToolCall, { name, contentType, bytes, key }: ReceivedFile): FileFacts {
    const { organizationId, runId, end } = call;
    if (runId === undefined || !end)
      throw new Error('Only external tools in steps can keep files.');
    const sha256 = createHash('sha256').update(bytes).digest();
    // Two workers can receive different responses for one step. Each worker stores its own file, so neither worker
    // changes the file of the other.
    const digest = createHash('sha256').update(`${runId} ${key} ${sha256.toString('hex')}`);
    const file: NewFile = {
      id: `fil_${digest.digest('base64url').slice(0, 22)}`,
      runId,
      name,
      contentType: mediaTypeOf(contentType),
      size: bytes.length,
      sha256,
    };
    end.record(() => this.files.insert(organizationId, file, bytes));
    return factsOf(file);
  }

  /**
   * Returns the files by their ids, with their bytes in memory until the call ends. Throws `invalid_arguments` for a
   * file that the organization does not have, and for more than 10 MiB together.
   */
  async load(call: ToolCall, ids: readonly string[]): Promise<ReadonlyMap<string, LoadedFile>> {
    if (ids.length === 0) return new Map();
    const found = await this.find(call.organizationId, [...new Set(ids)]);
    const missing = ids.find((id) => !found.some((file) => file.id === id));
    if (missing !== undefined) {
      throw AppError.invalid(
        `There is no file "${missing.slice(0, 64).toWellFormed()}". Files are deleted with the run that kept them.`,
      );
    }
    const sizes = new Map(found.map(({ id, size }) => [id, size]));
    const size = ids.reduce((sum, id) => sum + sizes.get(id)!, 0);
    if (size > MOST_FILE_BYTES) {
      throw AppError.invalid(`The files are larger than ${MOST_FILE_BYTES} bytes together.`);
    }
    call.end?.release(await this.sending.acquire(call.organizationId, size, call.signal));
    const loaded = new Map<string, LoadedFile>();
    for (const file of found) {
      const chunks: Buffer[] = [];
      for await (const chunk of this.chunks(file)) chunks.push(chunk);
      loaded.set(file.id, { ...factsOf(file), bytes: Buffer.concat(chunks) });
    }
    return loaded;
  }

  /**
   * Returns the files for a message that sends them, in the order of `ids`. A file of a run is copied, because it
   * would be deleted with the run. Call it in a transaction. Throws `not_found`.
   */
  async keepForMessage(organizationId: string, ids: readonly string[]): Promise<StoredFile[]> {
    const wanted = [...new Set(ids)];
    const found = await this.files.findAndKeep(organizationId, wanted);
    const kept = new Map<string, StoredFile>();
    for (const id of wanted) {
      const file = found.find((one) => one.id === id);
      if (!file) throw AppError.notFound('file');
      if (file.runId === null) kept.set(id, file);
      else {
        const copy = { id: newFileId(), runId: null };
        await this.files.copy(organizationId, id, copy);
        kept.set(id, { ...file, ...copy });
      }
    }
    return ids.map((id) => kept.get(id)!);
  }

  /** Returns the facts about a file. Throws `not_found` if the organization has no such file. */
  async get(organizationId: string, id: string): Promise<StoredFile> {
    const [file] = await this.find(organizationId, [id]);
    if (!file) throw AppError.notFound('file');
    return file;
  }

  /**
   * Reads all bytes of the files into memory. Waits while the process has too little memory. Rejects when the signal
   * aborts, when a file is missing, and when a file is larger than its `size`.
   */
  async hold(
    organizationId: string,
    files: readonly Pick<StoredFile, 'id' | 'size'>[],
    signal: AbortSignal,
  ): Promise<HeldFiles> {
    const size = files.reduce((sum, file) => sum + file.size, 0);
    const release = await this.sending.acquire(organizationId, size, signal);
    try {
      const held: Buffer[][] = [];
      for (const file of files) {
        const chunks: Buffer[] = [];
        let left = file.size;
        for await (const chunk of this.chunks({ organizationId, ...file })) {
          signal.throwIfAborted();
          left -= chunk.length;
          // SQL of a tool can store a smaller size. Then the file would occupy memory that is not reserved.
          if (left < 0) throw AppError.invalid('The file is larger than its size.');
          chunks.push(chunk);
        }
        held.push(chunks);
      }
      return { files: held, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Reads the bytes in parts, each with its own transaction. Throws `not_found` if the file is deleted meanwhile. */
  async *chunks({
    organizationId,
    id,
    size,
  }: Pick<StoredFile, 'organizationId' | 'id' | 'size'>): AsyncGenerator<Buffer> {
    for (let position = 0, read = 0; read < size; position += 1) {
      const chunk = await this.tenants.transaction(
        organizationId,
        () => this.files.findChunk(organizationId, id, position),
        { readOnly: true },
      );
      if (!chunk) throw AppError.notFound('file');
      read += chunk.length;
      yield chunk;
    }
  }

  private async find(organizationId: string, ids: readonly string[]): Promise<StoredFile[]> {
    const valid = ids.filter((id) => ID.test(id));
    return await this.tenants.transaction(
      organizationId,
      () => this.files.find(organizationId, valid),
      { readOnly: true },
    );
  }
}

/** Returns a random id for a new file. */
export function newFileId(): string {
  return `fil_${randomBytes(16).toString('base64url')}`;
}

/** Returns the media type, or `application/octet-stream` when it is malformed or absent. */
export function mediaTypeOf(given: string | undefined): string {
  return given !== undefined && MEDIA_TYPE.test(given) ? given : DEFAULT_TYPE;
}

export function factsOf({ id, name, contentType, size, sha256 }: NewFile): FileFacts {
  return { id, name, content_type: contentType, size, sha256: sha256.toString('hex') };
}
