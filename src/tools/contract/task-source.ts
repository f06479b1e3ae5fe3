import type { AppError } from '../../errors/app-error.js';
import type { InputRequests } from './input-request.js';

/** Work that continues after its tool has returned. */
export interface Task {
  /** The id. It must be unique among all sources and too random to guess. Use `newId`. */
  readonly id: string;
  readonly createdAt: Date;
  readonly changedAt: Date;
  readonly state: TaskState;
  /** The state in one line, for a person or a model. */
  readonly message?: string;
  /** The time before which the state cannot change. Absent when it is unknown. */
  readonly askAgainAt?: Date;
}

export type TaskState =
  | { readonly status: 'working' }
  /** The task waits for responses. A name means the same input request as long as the task exists. */
  | { readonly status: 'asking'; readonly requests: InputRequests }
  /** `result` is an object of the output class of the tool, or `ToolContent`. */
  | { readonly status: 'succeeded'; readonly result: object }
  | { readonly status: 'failed'; readonly error: AppError }
  /** The worker failed, so there is no result. */
  | { readonly status: 'lost' }
  | { readonly status: 'canceled' };

/**
 * Finds the tasks that a tool starts. `@Tool({ task: … })` names the provider. Every method runs in a transaction of
 * the organization. The state of a task must be in the database, because the client may request it from any process. To
 * notify the subscribers of a task, publish a change of a resource with a URI that ends with the id of the task.
 */
export interface TaskSource {
  /** The tool that does the same as `cancel`. Its policies also apply to `cancel`. */
  readonly cancelTool?: string;

  /**
   * The tool that returns the data that a task shows. The policies of this tool apply to tasks too: if the tool is
   * hidden, clients cannot read tasks.
   */
  readonly readTool?: string;

  /** Returns the id of the task that a result belongs to, or undefined for a final result. */
  idOf(result: object): string | undefined;

  /**
   * Returns a task, or undefined if the organization has no such task. A task must be found as soon as its call has
   * committed.
   */
  find(organizationId: string, id: string): Promise<Task | undefined>;

  /** Cancels the task. Returns false if the task had already ended. */
  cancel(organizationId: string, id: string): Promise<boolean>;

  /** Stores responses to open input requests. They are not parsed yet: use `read` of the input request. */
  answer?(
    organizationId: string,
    id: string,
    responses: Readonly<Record<string, unknown>>,
  ): Promise<void>;
}
