import type { AppError } from '../../errors/app-error.js';
import type { InputRequests } from './input-request.js';

/** Work that goes on after the tool that began it has answered. */
export interface Task {
  /** Too random to guess, and unique among the tasks of all sources: `newId` makes such ids. */
  readonly id: string;
  readonly createdAt: Date;
  readonly changedAt: Date;
  readonly state: TaskState;
  /** One line about the state, for a person or a model. */
  readonly message?: string;
  /** When asking again makes sense, if that is known. */
  readonly askAgainAt?: Date;
}

export type TaskState =
  | { readonly status: 'working' }
  /** It goes on once these are answered. A name stands for one question as long as the task lives. */
  | { readonly status: 'asking'; readonly requests: InputRequests }
  /** `result` is what the tool would have returned had it waited: an object of its output class, or `ToolContent`. */
  | { readonly status: 'succeeded'; readonly result: object }
  | { readonly status: 'failed'; readonly error: AppError }
  /** There is no result and never will be, and it is not the work that failed, but what was to carry it out. */
  | { readonly status: 'lost' }
  | { readonly status: 'canceled' };

/**
 * Knows the tasks that a tool begins: a provider that `@Tool({ task: … })` names. Every method runs in a transaction of
 * the organization. Any process may be asked, so what a task is must be in the database. Clients that listen are told of a
 * task when the change of a resource is published whose URI ends with its id.
 */
export interface TaskSource {
  /** Name of the tool that does what `cancel` does, so that the policies of an organization for it hold for both. */
  readonly cancelTool?: string;

  /** Name of the tool that shows the same as the task, likewise: where it may not be called, there are no tasks. */
  readonly readTool?: string;

  /** Id of the task that a result of the tool stands for; undefined where the result is final. */
  idOf(result: object): string | undefined;

  /** Undefined when the organization has no such task. Must see it from the commit of the call on that began it. */
  find(organizationId: string, id: string): Promise<Task | undefined>;

  /** Ends the task if it has not ended, and says whether it did. */
  cancel(organizationId: string, id: string): Promise<boolean>;

  /** Takes answers to open questions, as they came: `read` of the question says what is in them. */
  answer?(
    organizationId: string,
    id: string,
    responses: Readonly<Record<string, unknown>>,
  ): Promise<void>;
}
