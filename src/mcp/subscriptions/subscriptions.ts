import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { once } from 'node:events';
import { ChangeFeed, type ChangeOrGap } from '../../changes/change-feed.js';
import { toError } from '../../errors/app-error.js';
import { type AuthenticatedKey, KeysService } from '../../keys/keys.service.js';
import type { NotificationStream } from '../event-stream.js';
import { JsonRpcError, RATE_LIMITED, UNAUTHENTICATED, UNAVAILABLE } from '../json-rpc-error.js';
import type { JsonRpcId } from '../json-rpc.js';
import { Subscription, type Topic } from './subscription.js';

const MAX_OPEN = 1024;
const MAX_OPEN_OF_ORGANIZATION = 64;
/** The longest time that a revoked key stays subscribed if the notification about it is lost. */
const KEY_CHECK_MS = 15_000;

export interface Listener {
  readonly id: JsonRpcId;
  readonly key: AuthenticatedKey;
  readonly stream: NotificationStream;
  /** The signal that aborts when the caller disconnects. */
  readonly gone: AbortSignal;
  readonly topics: readonly Topic[];
  /** The part of the filter that the acknowledgement names. */
  readonly honored: object;
}

interface OpenSubscription {
  readonly key: AuthenticatedKey;
  readonly subscription: Subscription;
  /**
   * The controller that aborts without a reason when the service stops, and otherwise with the error for the caller.
   */
  readonly end: AbortController;
}

@Injectable()
export class Subscriptions implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(Subscriptions.name);
  private readonly open = new Set<OpenSubscription>();
  private keyCheck?: NodeJS.Timeout;
  private stopping = false;

  constructor(
    private readonly changes: ChangeFeed,
    private readonly keys: KeysService,
  ) {}

  /**
   * Serves a subscription until it ends. Resolves when the service stops. When the caller disconnects, throws the
   * reason of `gone`. Throws `JsonRpcError` when the key is no longer valid, or when too many subscriptions are open.
   */
  async serve(listener: Listener): Promise<void> {
    const { key, gone } = listener;
    this.assertRoom(key.organizationId);
    const end = new AbortController();
    const ended = AbortSignal.any([gone, end.signal]);
    const subscription = new Subscription(
      listener.id,
      listener.topics,
      listener.stream,
      ended,
      (error) =>
        this.logger.warn(
          `A notification about a change failed, and will be retried: ${toError(error).message}`,
        ),
    );
    const open = { key, subscription, end };
    this.open.add(open);
    let unsubscribe: (() => void) | undefined;
    try {
      unsubscribe = await this.changes
        .subscribe(key.organizationId, (notice) => void this.receive(open, notice))
        .catch((error: unknown) => {
          throw this.unavailable(error);
        });
      // The key may have been revoked before this process subscribed to the feed.
      await this.checkKey(open);
      if (!ended.aborted) {
        subscription.acknowledge(listener.honored);
        if (listener.topics.length > 0) await once(ended, 'abort');
      }
    } finally {
      unsubscribe?.();
      this.open.delete(open);
    }
    gone.throwIfAborted();
    if (end.signal.reason instanceof JsonRpcError) throw end.signal.reason;
  }

  onModuleInit(): void {
    this.keyCheck = setInterval(() => {
      for (const one of this.open) void this.checkKey(one);
    }, KEY_CHECK_MS).unref();
  }

  /** Ends all subscriptions in the first phase of a stop, while the connections are still open. */
  onModuleDestroy(): void {
    this.stopping = true;
    clearInterval(this.keyCheck);
    for (const { end } of this.open) end.abort();
  }

  private assertRoom(organizationId: string): void {
    if (this.stopping) throw this.unavailable();
    const ofOrganization = [...this.open].filter(
      ({ key }) => key.organizationId === organizationId,
    ).length;
    if (this.open.size < MAX_OPEN && ofOrganization < MAX_OPEN_OF_ORGANIZATION) return;
    throw new JsonRpcError(
      RATE_LIMITED,
      `Too many open subscriptions: at most ${MAX_OPEN_OF_ORGANIZATION} of an organization and ${MAX_OPEN} in total. ` +
        'Close a subscription, or put more topics into each subscription.',
    );
  }

  private unavailable(cause?: unknown): JsonRpcError {
    if (cause) this.logger.warn(`The change feed is not available: ${toError(cause).message}`);
    return new JsonRpcError(UNAVAILABLE, 'Subscriptions are not available right now. Try again.');
  }

  private async receive(open: OpenSubscription, notice: ChangeOrGap): Promise<void> {
    // `gap` means that changes were lost. The notification that the key was revoked may be one of them.
    if (notice.kind === 'keys' || notice.kind === 'gap') await this.checkKey(open);
    open.subscription.notifyOf(notice);
  }

  private async checkKey({ key, end }: OpenSubscription): Promise<void> {
    try {
      if (await this.keys.renew(key)) return;
    } catch {
      // The database failed, so the key may still be valid. The next check decides.
      return;
    }
    end.abort(
      new JsonRpcError(
        UNAUTHENTICATED,
        'This API key is no longer valid. Ask an owner for the current key.',
      ),
    );
  }
}
