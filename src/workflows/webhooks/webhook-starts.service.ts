import { Injectable } from '@nestjs/common';
import { Batcher } from '../../batching/batcher.js';
import { AppError } from '../../errors/app-error.js';
import { type RunStart, RunStarts } from '../triggers/run-starts.service.js';

/** What the payloads that one transaction inserts may have together. */
const MOST_BYTES = 4 * 1024 * 1024;
/** A small payload counts as so many, for the sake of the others that wait with it. */
const LEAST_BYTES = MOST_BYTES / 64;

/**
 * Starts the runs of webhooks that arrive in the same moment, of one organization, in one transaction. Each of them is
 * answered for only once that has committed, as if it were its own.
 */
@Injectable()
export class WebhookStarts {
  /** By a statement that commits as well. */
  private readonly unlimited = gatherings((organizationId, starts) =>
    this.runs.startOnce(organizationId, starts),
  );
  /** Whatever they are: limits are looked at between the insert and the commit. */
  private readonly all = gatherings((organizationId, starts) =>
    this.runs.startTogether(organizationId, starts),
  );

  constructor(private readonly runs: RunStarts) {}

  /** As {@link RunStarts.start}. */
  async start(
    organizationId: string,
    start: RunStart,
  ): Promise<{ runId: string; duplicate: boolean }> {
    const runId = await this.startAmong(this.all, organizationId, start);
    return runId === undefined
      ? await this.runs.start(organizationId, start)
      : { runId, duplicate: false };
  }

  /** Undefined for a run that has to be started by itself; throws `unavailable` only. */
  async startWithOthers(
    organizationId: string,
    start: RunStart,
    isLimited: boolean,
  ): Promise<string | undefined> {
    return await this.startAmong(isLimited ? this.all : this.unlimited, organizationId, start);
  }

  private async startAmong(
    others: Starts,
    organizationId: string,
    start: RunStart,
  ): Promise<string | undefined> {
    try {
      const { result, index } = await others.add(organizationId, start);
      return result[index];
    } catch (error) {
      // The commit may have come through although nobody was told: to start anew would start some twice.
      if (error instanceof AppError && error.code === 'unavailable') throw error;
      // Another one may be to blame, and nothing of it has stayed.
      return undefined;
    }
  }
}

type Starts = Batcher<RunStart, (string | undefined)[]>;

function gatherings(
  work: (organizationId: string, starts: readonly RunStart[]) => Promise<(string | undefined)[]>,
): Starts {
  return new Batcher(work, MOST_BYTES, ({ payload }) => Math.max(payload.length, LEAST_BYTES));
}
