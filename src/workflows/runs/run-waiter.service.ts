import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { ChangeFeed, type ChangeOrGap, resourceUri } from '../../changes/change-feed.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { toError } from '../../errors/app-error.js';
import { JoinedSignal } from '../../http/signals.js';
import type { TaskState } from '../../tools/contract/task-source.js';
import { OrganizationCounts } from '../../turns/organization-counts.js';
import { TRIGGER_CONTACT } from '../definitions/contact-mapping.js';
import type { WebhookAnswer } from '../definitions/webhook-answer.js';
import { WebhookRunsRepository } from '../journal/webhook-runs.repository.js';
import { RunTasksService } from './run-tasks.service.js';

const MAX_WAITS_PER_ORGANIZATION = 50;
const MAX_WAITS = 500;

export type RunOutcome =
  | { status: 'succeeded'; outputs: object }
  /** The outputs together are too large to be returned. The message says how to read them. */
  | { status: 'succeeded'; message: string }
  | { status: 'failed'; error: { code: string; message: string } }
  | { status: 'canceled' };

/** The response to a waiting sender: the answer of a step, or the outcome of a run that ended without one. */
export type AwaitedAnswer = { answer: WebhookAnswer } | { outcome: RunOutcome };

interface Wait {
  readonly organizationId: string;
  readonly runId: string;
  readonly seconds: number;
  readonly gone: AbortSignal;
}

export type EndedState = Extract<TaskState, { status: 'succeeded' | 'failed' | 'canceled' }>;

@Injectable()
export class RunWaiterService implements OnModuleDestroy {
  private readonly logger = new Logger(RunWaiterService.name);
  private readonly stopping = new AbortController();
  /** The number of waits of each organization. Each wait keeps the connection of a client open. */
  private readonly waiting = new OrganizationCounts();
  private total = 0;

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly tasks: RunTasksService,
    private readonly answers: WebhookRunsRepository,
    private readonly changes: ChangeFeed,
  ) {}

  /**
   * Waits for the end of the run: at most `seconds`, until `gone` aborts, or until the process stops. Returns undefined
   * when the run has not ended at that time, or when too many callers are waiting. Never throws.
   */
  async wait(
    organizationId: string,
    runId: string,
    seconds: number,
    gone: () => AbortSignal,
  ): Promise<RunOutcome | undefined> {
    if (seconds <= 0) return undefined;
    const ended = await this.ended(organizationId, runId, seconds, gone());
    return ended && outcomeOf(ended);
  }

  /**
   * Waits as `wait` does, but also ends when a step has answered the sender. The answer takes precedence over the
   * outcome.
   */
  async waitForAnswer(
    organizationId: string,
    runId: string,
    seconds: number,
    gone: () => AbortSignal,
  ): Promise<AwaitedAnswer | undefined> {
    if (seconds <= 0) return undefined;
    const find = (): Promise<AwaitedAnswer | undefined> => this.findAnswer(organizationId, runId);
    return await this.waitUntil({ organizationId, runId, seconds, gone: gone() }, find);
  }

  /** Waits as `wait` does, and returns the whole state. When there is no time to wait, reads the state only once. */
  async ended(
    organizationId: string,
    runId: string,
    seconds: number,
    gone: AbortSignal,
  ): Promise<EndedState | undefined> {
    const find = (): Promise<EndedState | undefined> => this.find(organizationId, runId);
    return await this.waitUntil({ organizationId, runId, seconds, gone }, find);
  }

  /** Waits until `find` returns a value. `find` is called after each change of the run. */
  private async waitUntil<T>(
    wait: Wait,
    find: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const { organizationId, runId, seconds } = wait;
    try {
      return seconds > 0 && this.hasRoom(organizationId)
        ? await this.stay(wait, find)
        : await find();
    } catch (error) {
      this.logger.warn(`The wait for run ${runId} failed: ${toError(error).message}`);
      return undefined;
    }
  }

  // This is the first shutdown hook, because the later hooks wait for running runs and open requests.
  onModuleDestroy(): void {
    this.stopping.abort();
  }

  private hasRoom(organizationId: string): boolean {
    const ofOrganization = this.waiting.of(organizationId);
    return ofOrganization < MAX_WAITS_PER_ORGANIZATION && this.total < MAX_WAITS;
  }

  private async stay<T>(
    { organizationId, runId, seconds, gone }: Wait,
    find: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    this.waiting.add(organizationId, 1);
    this.total += 1;
    const over = new JoinedSignal([gone, this.stopping.signal], seconds * 1000);
    try {
      return await this.watch(organizationId, runId, over.signal, find);
    } finally {
      over.end();
      this.leave(organizationId);
    }
  }

  private async watch<T>(
    organizationId: string,
    runId: string,
    over: AbortSignal,
    find: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const uri = resourceUri('runs', runId);
    let hasChanged = false;
    let wake = (): void => undefined;
    const notify = (notice: ChangeOrGap): void => {
      if (notice.kind !== 'gap' && !(notice.kind === 'resource' && notice.uri === uri)) return;
      hasChanged = true;
      wake();
    };
    over.addEventListener('abort', () => wake(), { once: true });
    // Subscribe before the state is read. Otherwise a change after the read and before the subscription would be
    // missed.
    const unsubscribe = await this.changes.subscribe(organizationId, notify);
    try {
      for (;;) {
        hasChanged = false;
        const found = await find();
        if (found || (over.aborted && !hasChanged)) return found;
        if (hasChanged || over.aborted) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      unsubscribe();
    }
  }

  private async find(organizationId: string, runId: string): Promise<EndedState | undefined> {
    const task = await this.tenants.transaction(
      organizationId,
      () => this.tasks.find(organizationId, runId),
      { readOnly: true },
    );
    return task && isEnded(task.state) ? task.state : undefined;
  }

  private async findAnswer(
    organizationId: string,
    runId: string,
  ): Promise<AwaitedAnswer | undefined> {
    return await this.tenants.transaction(
      organizationId,
      async () => {
        // The answer is read last. Otherwise a step could answer, and the run could end, between the two reads. Then
        // the run would seem to have ended without an answer.
        const task = await this.tasks.find(organizationId, runId);
        const answer = await this.answers.getAnswer(organizationId, runId);
        if (answer) return { answer };
        return task && isEnded(task.state) ? { outcome: outcomeOf(task.state) } : undefined;
      },
      { readOnly: true },
    );
  }

  private leave(organizationId: string): void {
    this.total -= 1;
    this.waiting.add(organizationId, -1);
  }
}

function isEnded(state: TaskState): state is EndedState {
  return state.status === 'succeeded' || state.status === 'failed' || state.status === 'canceled';
}

function outcomeOf(ended: EndedState): RunOutcome {
  switch (ended.status) {
    case 'succeeded': {
      const { outputs, message } = ended.result as {
        outputs?: Record<string, unknown>;
        message?: string;
      };
      if (!outputs && message !== undefined) return { status: 'succeeded', message };
      return { status: 'succeeded', outputs: withoutContact(outputs ?? {}) };
    }
    case 'failed': {
      const { code, message } = ended.error;
      return { status: 'failed', error: { code, message } };
    }
    case 'canceled':
      return { status: 'canceled' };
  }
}

/**
 * Removes the output of the step that saved the contact of the trigger. Senders see only the outputs of steps of the
 * definition.
 */
function withoutContact(outputs: Record<string, unknown>): object {
  return Object.fromEntries(Object.entries(outputs).filter(([id]) => id !== TRIGGER_CONTACT));
}
