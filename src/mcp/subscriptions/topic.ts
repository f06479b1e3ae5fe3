import type { Change } from '../../changes/change-feed.js';
import type { JsonObject } from '../json-rpc.js';

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
