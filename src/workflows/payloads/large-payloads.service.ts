import { randomBytes } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { Injectable } from '@nestjs/common';
import { AppError } from '../../errors/app-error.js';
import { RunFilesService } from '../../files/run-files.service.js';
import { type Job, ProcessorTurns } from '../../turns/processor-turns.js';
import { TimeBudgets } from '../../turns/time-budgets.js';
import { type ListSlice, SLICE_BYTES, sliceList } from './list-slice.js';
import { JsonScan } from './json-scan.js';
import { guardLargeValues, makeReadable } from './large-members.js';
import type { LargePayload, LargeValue } from './large-value.js';
import { payloadOutline } from './payload-outline.js';

const LIMITS = { depth: 64, members: 1_000_000 };
const PREVIEW_BYTES = 1000;
const MAX_CHARACTER_BYTES = 4;
const FILE = { name: 'payload.json', contentType: 'application/json' };

/** A payload whose bytes are kept as a file, and its outline: the JSON without its large values. */
export interface OutlinedPayload {
  readonly outline: Buffer;
  readonly large: LargePayload;
}

/**
 * Checks, stores and reads payloads that are too large to be parsed as a whole. Their bytes are a file of the run. Only
 * the outline is parsed as a whole. Lists of a payload are parsed page by page.
 */
@Injectable()
export class LargePayloadsService {
  private readonly turns = new ProcessorTurns(new TimeBudgets(undefined, 'large payloads'));

  constructor(private readonly files: RunFilesService) {}

  /**
   * Checks the JSON of a payload in parts, between which other work can run. Returns the outline of the payload. Throws
   * `invalid_json`, `too_complex`, and `rate_limited` when the organization has used its processor time for large
   * payloads.
   */
  async outline(organizationId: string, bytes: Buffer): Promise<OutlinedPayload> {
    if (!isUtf8(bytes)) throw new AppError('invalid_json', 'The body is not JSON in UTF-8.');
    const scan = new JsonScan(bytes, LIMITS);
    await this.run(organizationId, scan);
    const nonce = randomBytes(16).toString('base64url');
    const outline = payloadOutline(bytes, scan.values, scan.members, nonce);
    return { outline, large: { nonce, bytes: bytes.length } };
  }

  /**
   * Runs a job when it is the turn of the organization. The processor time of the job must be proportional to the bytes
   * of a payload, because no other limit applies to the job.
   */
  async run(organizationId: string, job: Job): Promise<void> {
    await this.turns.run(organizationId, job, { leftMs: Infinity });
  }

  /** Stores the bytes of the payload of a new run, in the transaction that inserts the run. */
  async store(organizationId: string, runId: string, bytes: Buffer): Promise<void> {
    await this.files.store(organizationId, { id: this.fileIdOf(runId), runId, ...FILE }, bytes);
  }

  /** Stores the payload of a run again for a copy of the run, in the transaction that inserts the copy. */
  async copy(organizationId: string, fromRunId: string, toRunId: string): Promise<void> {
    const to = { id: this.fileIdOf(toRunId), runId: toRunId };
    await this.files.copy(organizationId, this.fileIdOf(fromRunId), to);
  }

  /** Returns the id of the file with the payload of a run. */
  fileIdOf(runId: string): string {
    return this.files.idOf(runId, 'payload');
  }

  /** Returns a payload that is not stored yet, in the form that conditions read. */
  readable(
    organizationId: string,
    outline: object,
    large: LargePayload & { readonly whole: Buffer },
  ): unknown {
    const payload = guardLargeValues(outline, large);
    makeReadable(payload, {
      read: (start, end) => Promise.resolve(large.whole.subarray(start, end)),
      run: (job) => this.run(organizationId, job),
    });
    return payload;
  }

  /** Lets expressions read the large values of the payload of a stored run, and loads only the values that are read. */
  attach(organizationId: string, runId: string, payload: unknown): void {
    const fileId = this.fileIdOf(runId);
    makeReadable(payload, {
      read: (start, end) => this.files.read(organizationId, fileId, { start, end }),
      run: (job) => this.run(organizationId, job),
    });
  }

  /** Returns the beginning of a payload. */
  async preview(organizationId: string, runId: string): Promise<string> {
    return (await this.readText(organizationId, runId, 0, PREVIEW_BYTES)).text;
  }

  /**
   * Returns the whole characters from `offset` on, and their position. The characters have at most `limit` bytes, but
   * at least one character is returned.
   */
  async readText(
    organizationId: string,
    runId: string,
    offset: number,
    limit: number,
  ): Promise<{ text: string; start: number; end: number }> {
    const range = { start: offset, end: offset + limit + MAX_CHARACTER_BYTES };
    const bytes = await this.files.read(organizationId, this.fileIdOf(runId), range);
    const { start, end } = wholeCharacters(bytes, limit);
    return { text: bytes.toString('utf8', start, end), start: offset + start, end: offset + end };
  }

  /**
   * Returns the next items of a list of a payload. `position` is 0 at first, and then `next` of the previous slice.
   * Throws the errors of {@link sliceList}.
   */
  async readList(
    organizationId: string,
    runId: string,
    { start, end }: LargeValue,
    position: number,
    batch?: number,
  ): Promise<ListSlice> {
    const from = start + 1 + position;
    const range = { start: from, end: Math.min(end, from + SLICE_BYTES) };
    const bytes = await this.files.read(organizationId, this.fileIdOf(runId), range);
    const slice = sliceList(bytes, batch);
    return { ...slice, next: position + slice.next };
  }
}

/** Returns the first and the last byte of the characters that are complete within about `limit` bytes. */
function wholeCharacters(bytes: Buffer, limit: number): { start: number; end: number } {
  const isInside = (at: number): boolean => (bytes[at]! & 0xc0) === 0x80;
  let start = 0;
  while (start < bytes.length && isInside(start)) start += 1;
  let end = Math.min(bytes.length, start + limit);
  while (end > start && end < bytes.length && isInside(end)) end -= 1;
  if (end > start) return { start, end };
  end = Math.min(bytes.length, start + 1);
  while (end < bytes.length && isInside(end)) end += 1;
  return { start, end };
}
