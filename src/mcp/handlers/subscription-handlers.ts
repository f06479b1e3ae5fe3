import { Injectable } from '@nestjs/common';
import { RateLimiter } from '../../http/rate-limiter.js';
import { type AuthenticatedKey, KeysService } from '../../keys/keys.service.js';
import { ResourceRegistry } from '../../resources/resource-registry.js';
import { isJsonObject } from '../../text/is-json-object.js';
import type { Task } from '../../tools/contract/task-source.js';
import { Tasks } from '../../tools/pipeline/tasks.js';
import { withJsonRpcErrors } from '../app-error-encoding.js';
import { emptyResult } from '../encoders/modern.encoder.js';
import { taskStatus } from '../encoders/task-encoding.js';
import { JsonRpcError } from '../json-rpc-error.js';
import type { JsonObject } from '../json-rpc.js';
import {
  SUBSCRIPTION_ID,
  TOOL_LIST,
  resourceTopic,
  taskTopic,
} from '../subscriptions/subscription.js';
import { Subscriptions } from '../subscriptions/subscriptions.js';
import { assertTakesTasks, taskCallerOf } from '../request-meta.js';
import type { MethodContext } from './method-handler.js';

const MAX_NAMES = 100;
const MAX_NAME_LENGTH = 2000;
/** The names are kept in memory while the subscription is open. */
const MAX_CHARACTERS = 20_000;

/** Handles `subscriptions/listen` of MCP 2026-07-28. */
@Injectable()
export class SubscriptionHandlers {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly keys: KeysService,
    private readonly tasks: Tasks,
    private readonly resources: ResourceRegistry,
    private readonly limiter: RateLimiter,
  ) {}

  /**
   * Serves a subscription. Resolves when the service stops, and rejects when the caller disconnects or its key is
   * revoked.
   */
  async listen(params: JsonObject, context: MethodContext): Promise<string> {
    const { id, key, stream, signal, era } = context;
    if (id === undefined || !stream) throw new Error('A subscription needs an id and a stream.');
    const filter = parseFilter(params.notifications);
    await withJsonRpcErrors(this.countStart(key.organizationId));
    if (filter.taskIds.length > 0) assertTakesTasks(params, era);
    const { toolsListChanged } = filter;
    // Only the form of the URI is checked, because the resource may be created or deleted at any time.
    const uris = filter.resourceSubscriptions.filter((uri) =>
      this.resources.has(uri, key.toolPolicies),
    );
    const taskIds = await withJsonRpcErrors(this.existing(key, filter.taskIds));
    await this.subscriptions.serve({
      id,
      key,
      stream,
      gone: signal,
      topics: [
        ...(toolsListChanged ? [TOOL_LIST] : []),
        ...uris.map(resourceTopic),
        ...taskIds.map((taskId) => taskTopic(taskId, () => this.statusOf(key, taskId))),
      ],
      honored: {
        toolsListChanged,
        ...(uris.length > 0 && { resourceSubscriptions: uris }),
        ...(taskIds.length > 0 && { taskIds }),
      },
    });
    return emptyResult({ [SUBSCRIPTION_ID]: id });
  }

  private async countStart(organizationId: string): Promise<void> {
    this.limiter.countStream(organizationId);
  }

  private async existing(key: AuthenticatedKey, ids: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    // Tasks are read one at a time, because each look-up uses a database connection.
    for (const id of ids) if (await this.find(key, id)) found.push(id);
    return found;
  }

  /** Checks the key again, because it may have been revoked and tools may have been hidden since the start. */
  private async statusOf(key: AuthenticatedKey, id: string): Promise<JsonObject | undefined> {
    const renewed = await this.keys.renew(key);
    const task = renewed && (await this.find(renewed, id));
    return task && taskStatus(task);
  }

  private find(key: AuthenticatedKey, id: string): Promise<Task | undefined> {
    return this.tasks.find(taskCallerOf(key), id);
  }
}

/** Parses a `SubscriptionFilter`. Ignores unknown members. `taskIds` belongs to the Tasks extension. */
function parseFilter(given: unknown): {
  toolsListChanged?: true;
  resourceSubscriptions: string[];
  taskIds: string[];
} {
  if (!isJsonObject(given)) throw JsonRpcError.invalidParams('notifications must be an object.');
  const { toolsListChanged = false } = given;
  if (typeof toolsListChanged !== 'boolean') {
    throw JsonRpcError.invalidParams('toolsListChanged must be a boolean.');
  }
  return {
    ...(toolsListChanged && { toolsListChanged }),
    resourceSubscriptions: namesOf(given, 'resourceSubscriptions'),
    taskIds: namesOf(given, 'taskIds'),
  };
}

/** Returns the texts of a list without duplicates, in order. */
function namesOf(given: Record<string, unknown>, member: string): string[] {
  const names = given[member] ?? [];
  if (!Array.isArray(names) || !names.every(isName)) {
    const rule = `a list of texts of at most ${MAX_NAME_LENGTH} characters`;
    throw JsonRpcError.invalidParams(`${member} must be ${rule}.`);
  }
  const different = [...new Set(names)];
  if (different.length > MAX_NAMES) {
    throw JsonRpcError.invalidParams(`${member} has at most ${MAX_NAMES} names.`);
  }
  if (different.join('').length > MAX_CHARACTERS) {
    throw JsonRpcError.invalidParams(
      `${member} has at most ${MAX_CHARACTERS} characters together.`,
    );
  }
  return different;
}

function isName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= MAX_NAME_LENGTH;
}
