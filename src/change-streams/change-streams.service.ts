import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Account } from '../accounts/account.js';
import { Sessions } from '../accounts/sessions.js';
import { ChangeFeed, type ChangeOrGap } from '../changes/change-feed.js';
import { AppError } from '../errors/app-error.js';
import { RateLimiter } from '../http/rate-limiter.js';
import { ChangeStream, type EndReason } from './change-stream.js';

const MAX_OPEN = 1024;
const MAX_OPEN_OF_ORGANIZATION = 64;
const MAX_OPEN_OF_SESSION = 8;
/**
 * The longest time that a stream outlives its session. This limit matters when the session expires, or when the
 * notification that the session has ended is lost.
 */
const SESSION_CHECK_MS = 15_000;
const RETRY_SECONDS = 5;

export interface StreamRequest {
  readonly account: Account;
  readonly sessionId: string;
  /** True when the client was connected before, so that it may have missed changes. */
  readonly isReconnect: boolean;
  readonly output: Writable;
  /** The signal that aborts when the client disconnects. */
  readonly gone: AbortSignal;
  /** Sends the headers of the response. The service calls this once, after the checks that can refuse the stream. */
  accept(): void;
}

interface OpenStream extends Pick<StreamRequest, 'account' | 'sessionId'> {
  readonly stream: ChangeStream;
  /** The controller that aborts with an {@link EndReason}. */
  readonly end: AbortController;
}

/** Serves the streams of changes to signed-in people. Each stream ends with the session of its person. */
@Injectable()
export class ChangeStreamsService implements OnModuleInit, OnModuleDestroy {
  private readonly open = new Set<OpenStream>();
  private sessionCheck?: NodeJS.Timeout;
  private isStopping = false;

  constructor(
    private readonly changes: ChangeFeed,
    private readonly sessions: Sessions,
    private readonly limiter: RateLimiter,
  ) {}

  /**
   * Serves a stream. Resolves when it has ended. Throws `rate_limited` when too many streams are open,
   * `unauthenticated` when the session ended meanwhile, and `unavailable` while the database is down or the process
   * stops.
   */
  async serve(request: StreamRequest): Promise<void> {
    const { account, sessionId, gone } = request;
    this.assertRoom(account.organizationId, sessionId);
    this.limiter.countStream(account.organizationId);
    const stream = new ChangeStream(request.output);
    const open = { account, sessionId, stream, end: new AbortController() };
    this.open.add(open);
    let unsubscribe: (() => void) | undefined;
    try {
      unsubscribe = await this.changes.subscribe(account.organizationId, (change) =>
        this.receive(open, change),
      );
      // The session may have ended before this process subscribed to the feed.
      await this.checkSession(open);
      assertOpen(open.end.signal);
      if (gone.aborted) return;
      request.accept();
      stream.open(request.isReconnect);
      const over = new AbortController();
      await Promise.race([
        once(gone, 'abort', { signal: over.signal }),
        once(open.end.signal, 'abort', { signal: over.signal }),
      ]).finally(() => over.abort());
      if (open.end.signal.aborted) stream.end(open.end.signal.reason as EndReason);
    } finally {
      unsubscribe?.();
      stream.close();
      this.open.delete(open);
    }
  }

  onModuleInit(): void {
    this.sessionCheck = setInterval(() => {
      for (const one of this.open) void this.checkSession(one);
    }, SESSION_CHECK_MS).unref();
  }

  /** Ends all streams in the first phase of a stop, while the connections are still open. */
  onModuleDestroy(): void {
    this.isStopping = true;
    clearInterval(this.sessionCheck);
    for (const { end } of this.open) end.abort('stopping' satisfies EndReason);
  }

  private assertRoom(organizationId: string, sessionId: string): void {
    if (this.isStopping) throw stopping();
    const ofOrganization = [...this.open].filter(
      ({ account }) => account.organizationId === organizationId,
    );
    const ofSession = ofOrganization.filter((one) => one.sessionId === sessionId);
    if (
      this.open.size < MAX_OPEN &&
      ofOrganization.length < MAX_OPEN_OF_ORGANIZATION &&
      ofSession.length < MAX_OPEN_OF_SESSION
    )
      return;
    throw new AppError(
      'rate_limited',
      `Too many open streams of changes: at most ${MAX_OPEN_OF_SESSION} of a session and ` +
        `${MAX_OPEN_OF_ORGANIZATION} of an organization. Close other tabs.`,
      { retryAfterSeconds: RETRY_SECONDS },
    );
  }

  private receive(open: OpenStream, change: ChangeOrGap): void {
    // `gap` means that changes were lost. The end of the session may be one of them.
    if (change.kind === 'sessions' || change.kind === 'gap') void this.checkSession(open);
    open.stream.add(change);
  }

  private async checkSession({ account, sessionId, end }: OpenStream): Promise<void> {
    try {
      if (await this.sessions.isOpen(sessionId, account)) return;
    } catch {
      // The database failed, so the session may still be valid. The next check decides.
      return;
    }
    end.abort('session_ended' satisfies EndReason);
  }
}

function assertOpen(end: AbortSignal): void {
  if (!end.aborted) return;
  if (end.reason === 'stopping') throw stopping();
  throw new AppError('unauthenticated', 'The session has ended. Sign in again.');
}

function stopping(): AppError {
  return new AppError('unavailable', 'This process is stopping. Connect again.', {
    retryAfterSeconds: RETRY_SECONDS,
  });
}
