import { Injectable } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';

/** The largest number of uploads of an organization that a process receives at the same time. */
const MOST_OPEN = 20;

/**
 * Limits the uploads that arrive at the same time. An upload has up to an hour, and is counted in the database only
 * after its first 512 KiB. So without this limit, a slow organization could occupy any number of connections.
 */
@Injectable()
export class OpenUploads {
  private readonly counts = new Map<string, number>();

  /** Receives an upload and returns its result. Throws `conflict` while too many others of the organization arrive. */
  async receive<T>(organizationId: string, upload: () => Promise<T>): Promise<T> {
    if (this.count(organizationId) >= MOST_OPEN) {
      throw new AppError(
        'conflict',
        `At most ${MOST_OPEN} files can be uploaded at the same time. Wait until one ends.`,
      );
    }
    this.counts.set(organizationId, this.count(organizationId) + 1);
    try {
      return await upload();
    } finally {
      const left = this.count(organizationId) - 1;
      if (left > 0) this.counts.set(organizationId, left);
      else this.counts.delete(organizationId);
    }
  }

  private count(organizationId: string): number {
    return this.counts.get(organizationId) ?? 0;
  }
}
