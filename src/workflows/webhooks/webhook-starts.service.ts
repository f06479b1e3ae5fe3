import { Injectable } from '@nestjs/common';
import { Gatherings } from '../../database/gatherings.js';
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
  private readonly gatherings = new Gatherings<RunStart, (string | undefined)[]>(
    (organizationId, starts) => this.runs.startTogether(organizationId, starts),
    MOST_BYTES,
    ({ payload }) => Math.max(payload.length, LEAST_BYTES),
  );

  constructor(private readonly runs: RunStarts) {}

  /** As {@link RunStarts.start}. */
  async start(
    organizationId: string,
    start: RunStart,
  ): Promise<{ runId: string; duplicate: boolean }> {
    const runId = await this.startWithOthers(organizationId, start);
    return runId === undefined
      ? await this.runs.start(organizationId, start)
      : { runId, duplicate: false };
  }

  /** Undefined for a run that has to be started by itself; throws `unavailable` only. */
  async startWithOthers(organizationId: string, start: RunStart): Promise<string | undefined> {
    try {
      const { result, index } = await this.gatherings.add(organizationId, start);
      return result[index];
    } catch (error) {
      // The commit may have come through although nobody was told: to start anew would start some twice.
      if (error instanceof AppError && error.code === 'unavailable') throw error;
      // Another one may be to blame, and nothing of it has stayed.
      return undefined;
    }
  }
}
