import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { ChangeFeed, type ChangeNotice, resourceUri } from '../../changes/change-feed.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { toError } from '../../errors/app-error.js';
import { JoinedSignal } from '../../http/signals.js';
import type { TaskState } from '../../tools/contract/task-source.js';
import { TRIGGER_CONTACT } from '../definitions/contact-mapping.js';
import { RunTasks } from './run-tasks.service.js';

const MOST_OF_ONE = 50;
const MOST_OF_ALL = 500;

/** How a run ended. */
export type RunOutcome =
  | { status: 'succeeded'; outputs: object }
  | { status: 'failed'; error: { code: string; message: string } }
  | { status: 'canceled' };

/** What a run has come to that has ended. */
export type EndedState = Extract<TaskState, { status: 'succeeded' | 'failed' | 'canceled' }>;

/** Lets a caller wait for the end of a run, as long as it must. */
@Injectable()
export class RunWaiter implements OnModuleDestroy {
  private readonly logger = new Logger(RunWaiter.name);
  private readonly stopping = new AbortController();
  /** How many wait, by organization: each holds a connection of a client open. */
  private readonly waiting = new Map<string, number>();
  private total = 0;

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly tasks: RunTasks,
    private readonly changes: ChangeFeed,
  ) {}

  /**
   * Waits until the run has ended, for at most so many seconds, until `gone` or the end of this process. Undefined when
   * it has not ended by then, or when too many wait already. Never throws: the run goes on in any case.
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

  /** The same with all that is known of the end. Without time to wait, and where too many wait, it looks once. */
  async ended(
    organizationId: string,
    runId: string,
    seconds: number,
    gone: AbortSignal,
  ): Promise<EndedState | undefined> {
    try {
      return seconds > 0 && this.hasRoom(organizationId)
        ? await this.stay(organizationId, runId, seconds, gone)
        : await this.find(organizationId, runId);
    } catch (error) {
      this.logger.warn(`Nobody can wait for run ${runId}: ${toError(error).message}`);
      return undefined;
    }
  }

  // The first of the hooks: the later ones wait for the very runs that are waited for here.
  onModuleDestroy(): void {
    this.stopping.abort();
  }

  private hasRoom(organizationId: string): boolean {
    const ofOrganization = this.waiting.get(organizationId) ?? 0;
    return ofOrganization < MOST_OF_ONE && this.total < MOST_OF_ALL;
  }

  private async stay(
    organizationId: string,
    runId: string,
    seconds: number,
    gone: AbortSignal,
  ): Promise<EndedState | undefined> {
    this.waiting.set(organizationId, (this.waiting.get(organizationId) ?? 0) + 1);
    this.total += 1;
    const over = new JoinedSignal([gone, this.stopping.signal], seconds * 1000);
    try {
      return await this.watch(organizationId, runId, over.signal);
    } finally {
      over.end();
      this.leave(organizationId);
    }
  }

  private async watch(
    organizationId: string,
    runId: string,
    over: AbortSignal,
  ): Promise<EndedState | undefined> {
    const uri = resourceUri('runs', runId);
    let isNews = false;
    let wake = (): void => undefined;
    const tell = (notice: ChangeNotice): void => {
      if (notice.kind !== 'gap' && !(notice.kind === 'resource' && notice.uri === uri)) return;
      isNews = true;
      wake();
    };
    over.addEventListener('abort', () => wake(), { once: true });
    // First the subscription, then the look: what changes in between is told.
    const unsubscribe = await this.changes.subscribe(organizationId, tell);
    try {
      for (;;) {
        isNews = false;
        const ended = await this.find(organizationId, runId);
        if (ended || (over.aborted && !isNews)) return ended;
        if (isNews || over.aborted) continue;
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

  private leave(organizationId: string): void {
    this.total -= 1;
    const left = this.waiting.get(organizationId)! - 1;
    if (left === 0) this.waiting.delete(organizationId);
    else this.waiting.set(organizationId, left);
  }
}

function isEnded(state: TaskState): state is EndedState {
  return state.status === 'succeeded' || state.status === 'failed' || state.status === 'canceled';
}

function outcomeOf(ended: EndedState): RunOutcome {
  switch (ended.status) {
    case 'succeeded': {
      const { outputs = {} } = ended.result as { outputs?: Record<string, unknown> };
      return { status: 'succeeded', outputs: withoutContact(outputs) };
    }
    case 'failed': {
      const { code, message } = ended.error;
      return { status: 'failed', error: { code, message } };
    }
    case 'canceled':
      return { status: 'canceled' };
  }
}

/** Whom the run is about was decided before its first step; a sender is shown what the steps returned. */
function withoutContact(outputs: Record<string, unknown>): object {
  return Object.fromEntries(Object.entries(outputs).filter(([id]) => id !== TRIGGER_CONTACT));
}
