import { setTimeout as sleep } from 'node:timers/promises';
import type { Change, ChangeOrGap } from '../../changes/change-feed.js';
import type { NotificationStream } from '../event-stream.js';
import type { JsonObject, JsonRpcId } from '../json-rpc.js';

/** The key that marks every message of a subscription (MCP 2026-07-28, schema: `NotificationMetaObject`). */
export const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';

// Changes within this time become one notification, so that a run of many quick steps does not flood the client.
const PAUSE_MS = 100;
const RETRY_MS = 1000;

/**
 * Sends notifications to a client. At most one notification of each topic waits, even for a client that reads slowly.
 */
export class Subscription {
  private readonly waiting = new Set<Topic>();
  private readonly topicsByKey = new Map<string, Topic[]>();
  private isAcknowledged = false;
  private isSending = false;

  constructor(
    private readonly id: JsonRpcId,
    private readonly topics: readonly Topic[],
    private readonly stream: NotificationStream,
    private readonly ended: AbortSignal,
    private readonly onError: (error: unknown) => void,
  ) {
    for (const topic of topics) {
      const others = this.topicsByKey.get(topic.key);
      if (others) others.push(topic);
      else this.topicsByKey.set(topic.key, [topic]);
    }
  }

  acknowledge(notifications: object): void {
    this.notify('notifications/subscriptions/acknowledged', { notifications });
    this.isAcknowledged = true;
    for (const topic of this.topics) if (topic.notifiesAtStart) this.waiting.add(topic);
    this.start();
  }

  notifyOf(notice: ChangeOrGap): void {
    const concerned =
      notice.kind === 'gap'
        ? this.topics
        : keysOf(notice).flatMap((key) => this.topicsByKey.get(key) ?? []);
    for (const topic of concerned) this.waiting.add(topic);
    this.start();
  }

  private start(): void {
    if (!this.isAcknowledged || this.isSending || this.waiting.size === 0) return;
    this.isSending = true;
    void this.sendAll().finally(() => {
      this.isSending = false;
    });
  }

  private async sendAll(): Promise<void> {
    while (this.waiting.size > 0 && !this.ended.aborted) {
      const failed = await this.sendOnce([...this.waiting]);
      await sleep(failed ? RETRY_MS : PAUSE_MS, undefined, { ref: false });
    }
  }

  private async sendOnce(topics: readonly Topic[]): Promise<boolean> {
    for (const topic of topics) {
      await this.stream.waitUntilDrained();
      if (this.ended.aborted) return false;
      // The topic is removed before its state is read, so that a change during the read causes another notification.
      this.waiting.delete(topic);
      try {
        const notification = await topic.notification();
        if (this.ended.aborted) return false;
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

export interface Topic {
  /**
   * A change concerns the topic if {@link keysOf} returns this key for the change. Topics are looked up by their keys,
   * because an import publishes thousands of changes, and an organization can subscribe to thousands of topics.
   */
  readonly key: string;
  /**
   * True if the client is also notified at the start, because the last change may have happened before the
   * subscription.
   */
  readonly notifiesAtStart?: boolean;
  /** Returns the notification for one or more changes, or undefined if there is nothing to send. */
  notification(): Promise<TopicNotification | undefined> | TopicNotification;
}

export interface TopicNotification {
  readonly method: string;
  readonly params?: JsonObject;
}

export const TOOL_LIST: Topic = {
  key: 'tools',
  notification: () => ({ method: 'notifications/tools/list_changed' }),
};

/** Returns the topic of a resource and of all resources below it: `switchboard://runs` changes with each run. */
export function resourceTopic(uri: string): Topic {
  return {
    key: `resource ${uri}`,
    notification: () => ({ method: 'notifications/resources/updated', params: { uri } }),
  };
}

/**
 * Returns the topic of a task. A change belongs to the task if the URI of the changed resource ends with the id of the
 * task.
 */
export function taskTopic(id: string, status: () => Promise<JsonObject | undefined>): Topic {
  return {
    notifiesAtStart: true,
    key: `task ${id}`,
    notification: async () => {
      const params = await status();
      return params && { method: 'notifications/tasks', params };
    },
  };
}

/** Returns the keys of the topics that a change concerns: a changed resource concerns all resources above it. */
export function keysOf(change: Change): string[] {
  if (change.kind !== 'resource') return [change.kind];
  const { uri } = change;
  const keys = [`resource ${uri}`, `task ${uri.slice(uri.lastIndexOf('/') + 1)}`];
  for (let end = uri.lastIndexOf('/'); end > 0; end = uri.lastIndexOf('/', end - 1)) {
    keys.push(`resource ${uri.slice(0, end)}`);
  }
  return keys;
}
