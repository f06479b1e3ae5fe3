import { setTimeout as sleep } from 'node:timers/promises';
import type { Change, ChangeOrGap } from '../../changes/change-feed.js';
import type { NotificationStream } from '../event-stream.js';
import type { JsonObject, JsonRpcId } from '../json-rpc.js';

/** Marks every message of a subscription (MCP 2026-07-28, schema: `NotificationMetaObject`). */
export const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';

// Changes within this time are told as one: a run of many quick steps is one piece of news to whoever follows it.
const PAUSE_MS = 100;
const RETRY_MS = 1000;

/**
 * One client that listens. However much changes and however slowly it reads, what waits for it is at most one
 * notification a topic.
 */
export class Subscription {
  private readonly waiting = new Set<Topic>();
  private acknowledged = false;
  private telling = false;

  constructor(
    private readonly id: JsonRpcId,
    private readonly topics: readonly Topic[],
    private readonly stream: NotificationStream,
    /** Aborted when there is nobody to tell any more. */
    private readonly over: AbortSignal,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** The first message; what changed before follows it. */
  acknowledge(notifications: object): void {
    this.notify('notifications/subscriptions/acknowledged', { notifications });
    this.acknowledged = true;
    for (const topic of this.topics) if (topic.atOnce) this.waiting.add(topic);
    this.start();
  }

  /** Tells the client as soon as it can take it. */
  tell(notice: ChangeOrGap): void {
    for (const topic of this.topics) {
      if (notice.kind === 'gap' || topic.concerns(notice)) this.waiting.add(topic);
    }
    this.start();
  }

  private start(): void {
    if (!this.acknowledged || this.telling || this.waiting.size === 0) return;
    this.telling = true;
    void this.tellAll().finally(() => {
      this.telling = false;
    });
  }

  private async tellAll(): Promise<void> {
    while (this.waiting.size > 0 && !this.over.aborted) {
      const failed = await this.tellOnce([...this.waiting]);
      await sleep(failed ? RETRY_MS : PAUSE_MS, undefined, { ref: false });
    }
  }

  private async tellOnce(topics: readonly Topic[]): Promise<boolean> {
    for (const topic of topics) {
      await this.stream.waitUntilDrained();
      if (this.over.aborted) return false;
      // Before it is read: a change in between is another piece of news.
      this.waiting.delete(topic);
      try {
        const notification = await topic.notification();
        if (this.over.aborted) return false;
        if (notification) this.notify(notification.method, notification.params);
      } catch (error) {
        this.waiting.add(topic);
        this.onError(error);
        return true;
      }
    }
    return false;
  }

  private notify(method: string, params: object = {}): void {
    this.stream.notify(method, { ...params, _meta: { [SUBSCRIPTION_ID]: this.id } });
  }
}

/** Something that a client follows. */
export interface Topic {
  /** Whether the change is one of it. */
  concerns(change: Change): boolean;
  /** Whether it is told once at the start as well, because its last change may be over by then. */
  readonly atOnce?: boolean;
  /** What a client is told after a change, whatever the number of changes was; undefined where there is nothing. */
  notification(): Promise<TopicNotification | undefined> | TopicNotification;
}

export interface TopicNotification {
  readonly method: string;
  readonly params?: JsonObject;
}

export const TOOL_LIST: Topic = {
  concerns: ({ kind }) => kind === 'tools',
  notification: () => ({ method: 'notifications/tools/list_changed' }),
};

/** A resource with all that lies below it: `switchboard://runs` changes with each of the runs. */
export function resourceTopic(uri: string): Topic {
  return {
    concerns: (change) =>
      change.kind === 'resource' && (change.uri === uri || change.uri.startsWith(`${uri}/`)),
    notification: () => ({ method: 'notifications/resources/updated', params: { uri } }),
  };
}

/**
 * A task of the Tasks extension, with all that `tasks/get` would say of it. Its id is how the URI of the resource ends
 * whose changes are the task's.
 */
export function taskTopic(id: string, status: () => Promise<JsonObject | undefined>): Topic {
  return {
    atOnce: true,
    concerns: (change) => change.kind === 'resource' && change.uri.endsWith(`/${id}`),
    notification: async () => {
      const params = await status();
      return params && { method: 'notifications/tasks', params };
    },
  };
}
