import { Injectable } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import { pageOf, readCursor, writeCursor } from '../paging/paging.js';
import {
  ContactDuplicatesRepository,
  type DuplicatePair,
} from './contact-duplicates.repository.js';
import { DUPLICATE_REASONS, type DuplicateReason } from './duplicate-reasons.js';

const LONGEST_KEY = 1024;

/** Finds contacts that may be one person. It changes nothing. */
@Injectable()
export class ContactDuplicatesService {
  constructor(private readonly duplicates: ContactDuplicatesRepository) {}

  /** Returns one page, the strongest reasons first, and the cursor of the next page, or null on the last page. */
  async list(
    organizationId: string,
    reasons: readonly DuplicateReason[],
    page: { limit: number; cursor: string | undefined },
  ): Promise<{ pairs: DuplicatePair[]; nextCursor: string | null }> {
    const start = readPosition(page.cursor);
    const rows: DuplicatePair[] = [];
    const first = start ? DUPLICATE_REASONS.indexOf(start.reason) : 0;
    for (const reason of DUPLICATE_REASONS.slice(first)) {
      if (!reasons.includes(reason)) continue;
      const missing = page.limit + 1 - rows.length;
      const position = start?.reason === reason ? start : undefined;
      rows.push(...(await this.duplicates.list(organizationId, reason, position, missing)));
      if (rows.length > page.limit) break;
    }
    const { page: pairs, nextCursor } = pageOf(rows, page.limit, ({ reason, key, otherId }) =>
      writeCursor([reason, key, otherId]),
    );
    return { pairs, nextCursor };
  }
}

function readPosition(
  cursor: string | undefined,
): { reason: DuplicateReason; key: string; otherId: string } | undefined {
  if (cursor === undefined) return undefined;
  const [given, key, otherId, ...more] = readCursor(cursor);
  const reason = DUPLICATE_REASONS.find((known) => known === given);
  const isKey = typeof key === 'string' && key.length <= LONGEST_KEY;
  const isPlain = isKey && !key.includes('\0') && key.isWellFormed();
  if (
    reason &&
    isPlain &&
    typeof otherId === 'string' &&
    /^\w{1,64}$/.test(otherId) &&
    !more.length
  ) {
    return { reason, key, otherId };
  }
  const message = 'was not returned by this tool';
  throw AppError.invalid(`cursor ${message}. Use next_cursor of the previous page.`, [
    { path: 'cursor', message },
  ]);
}
