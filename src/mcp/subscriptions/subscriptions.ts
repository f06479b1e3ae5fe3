import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { once } from 'node:events';
import { ChangeFeed, type ChangeOrGap } from '../../changes/change-feed.js';
import { toError } from '../../errors/app-error.js';
import { type AuthenticatedKey, KeysService } from '../../keys/keys.service.js';
import type { NotificationStream } from '../event-stream.js';
import { JSON_RPC_CODES, JsonRpcError } from '../json-rpc-error.js';
import type { JsonRpcId } from '../json-rpc.js';
import { Subscription, type Topic } from './subscription.js';

const MOST_OPEN = 1024;
const MOST_OF_ORGANIZATION = 64;
/** How long a key that was revoked may go unnoticed when the hint about it was lost. */
const CHECK_KEYS_MS = 15_000;

/** Whom to tell, of what, and until when. */
export interface Listener {
  readonly id: JsonRpcId;
  readonly key: AuthenticatedKey;
  readonly stream: NotificationStream;
  /** Aborted when the caller goes away. */
  readonly gone: AbortSignal;
  readonly topics: readonly Topic[];
  /** What the caller is told that it will hear of. */
  readonly honored: object;
}

interface Open {
  readonly key: AuthenticatedKey;
  readonly subscription: Subscription;
  /** Ended with nothing when the service stops, and with the error that the caller gets otherwise. */
  readonly over: AbortController;
}

/** Every client of this process that listens for changes. */
@Injectable()
export class Subscriptions implements OnModuleDestroy {
  private readonly logger = new Logger(Subscriptions.name);
  private readonly open = new Set<Open>();
  private checking?: NodeJS.Timeout;
  private stopping = false;

  constructor(
    private readonly changes: ChangeFeed,
    private readonly keys: KeysService,
  ) {}

  /**
   * Acknowledges and tells the listener of changes. Returns when the service stops; throws the reason of `gone`, or
   * `JsonRpcError` when there are too many listeners, or when its key is not valid any more.
   */
  async serve(listener: Listener): Promise<void> {
    const { key, gone } = listener;
    this.assertRoom(key.organizationId);
    const over = new AbortController();
    const ended = AbortSignal.any([gone, over.signal]);
    const subscription = new Subscription(
      listener.id,
      listener.topics,
      listener.stream,
      ended,
      (error) => this.logger.warn(`A change could not be told: ${toError(error).message}`),
    );
    const open = { key, subscription, over };
    this.add(open);
    let unsubscribe: (() => void) | undefined;
    try {
      unsubscribe = await this.changes
        .subscribe(key.organizationId, (notice) => void this.take(open, notice))
        .catch((error: unknown) => {
          throw this.unavailable(error);
        });
      // It may have been revoked before the feed would have told of it.
      await this.check(open);
      if (!ended.aborted) {
        subscription.acknowledge(listener.honored);
        if (listener.topics.length > 0) await once(ended, 'abort');
      }
    } finally {
      unsubscribe?.();
      this.remove(open);
    }
    gone.throwIfAborted();
    if (over.signal.reason instanceof JsonRpcError) throw over.signal.reason;
  }

  /** The first phase of a stop: clients learn that it is over while their connections still stand. */
  onModuleDestroy(): void {
    this.stopping = true;
    for (const { over } of this.open) over.abort();
  }

  private assertRoom(organizationId: string): void {
    if (this.stopping) throw this.unavailable();
    const ofOrganization = [...this.open].filter(
      ({ key }) => key.organizationId === organizationId,
    ).length;
    if (this.open.size < MOST_OPEN && ofOrganization < MOST_OF_ORGANIZATION) return;
    throw new JsonRpcError(
      JSON_RPC_CODES.rate_limited,
      `Too many open subscriptions: at most ${MOST_OF_ORGANIZATION} of an organization and ${MOST_OPEN} in all. ` +
        'End one, or follow more with one.',
    );
  }

  private unavailable(cause?: unknown): JsonRpcError {
    if (cause) this.logger.warn(`Changes cannot be followed: ${toError(cause).message}`);
    return new JsonRpcError(
      JSON_RPC_CODES.unavailable,
      'Changes cannot be followed right now. Try again.',
    );
  }

  private add(open: Open): void {
    this.open.add(open);
    this.checking ??= setInterval(() => {
      for (const one of this.open) void this.check(one);
    }, CHECK_KEYS_MS).unref();
  }

  private remove(open: Open): void {
    this.open.delete(open);
    if (this.open.size > 0) return;
    clearInterval(this.checking);
    this.checking = undefined;
  }

  private async take(open: Open, notice: ChangeOrGap): Promise<void> {
    // What is missing in a gap may be that the key was revoked.
    if (notice.kind === 'keys' || notice.kind === 'gap') await this.check(open);
    open.subscription.tell(notice);
  }

  /** Ends it if its key is not valid any more. */
  private async check({ key, over }: Open): Promise<void> {
    try {
      if (await this.keys.renew(key)) return;
    } catch {
      // A database that does not answer says nothing against a key; it is asked again.
      return;
    }
    over.abort(
      new JsonRpcError(JSON_RPC_CODES.unauthenticated, 'This API key is not valid any more.'),
    );
  }
}
