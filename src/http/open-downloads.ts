import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { once } from 'node:events';
import { AppError } from '../errors/app-error.js';
import { OrganizationSlots } from '../turns/organization-slots.js';
import { goneSignal } from './signals.js';
import { STALLED_MS } from './unread-responses.js';

/**
 * The largest number of downloads of an organization at the same time, because each keeps a part of its body in memory.
 */
const MOST_OPEN = 20;

/** Limits the downloads that each organization has in this process at the same time. */
@Injectable()
export class OpenDownloads extends OrganizationSlots {
  constructor() {
    const message = `At most ${MOST_OPEN} downloads of an organization run at the same time. Wait for the end of one.`;
    super(MOST_OPEN, () => new AppError('rate_limited', message, { retryAfterSeconds: 10 }));
  }
}

/**
 * Sends the parts of a body and ends the response. It takes parts only as fast as the client reads them, and ends the
 * connection of a client that reads nothing for a minute.
 */
export async function sendParts(
  response: Response,
  parts: AsyncIterable<string | Buffer>,
): Promise<void> {
  const gone = goneSignal(response);
  if (response.req.method !== 'HEAD') {
    response.setTimeout(STALLED_MS);
    for await (const part of parts) {
      if (gone.aborted) return;
      if (!response.write(part)) {
        await once(response, 'drain', { signal: gone }).catch(() => undefined);
      }
    }
  }
  response.end();
}
