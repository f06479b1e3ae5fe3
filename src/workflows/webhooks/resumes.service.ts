import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError } from '../../errors/app-error.js';
import { parseJson } from '../../http/request-body.js';
import { RateLimiter } from '../../http/rate-limiter.js';
import { WakeUps } from '../../queue/wake-ups.js';
import { type ResumableStep, ResumeUrlsService } from './resume-urls.service.js';
import { NO_RUN } from './webhook.js';
import { RunWaitsRepository, type WaitingStep } from '../waits/run-waits.repository.js';

/** `duplicate`: an earlier call resumed the step. `over`: the step or its run has ended. */
export type ResumeResult = 'stored' | 'duplicate' | 'over';

/** Resumes waiting steps. */
@Injectable()
export class ResumesService {
  constructor(
    private readonly urls: ResumeUrlsService,
    private readonly tenants: TenantDatabase,
    private readonly waits: RunWaitsRepository,
    private readonly limiter: RateLimiter,
    private readonly wakeUps: WakeUps,
  ) {}

  /**
   * Stores the payload with which a step goes on. The first call wins, even before the run has reached the step. Tokens
   * that are malformed or forged throw the same `not_found` as runs that are gone.
   */
  async resume(token: string, readBody: () => Promise<Buffer>): Promise<ResumeResult> {
    const step = this.urls.verify(token);
    if (!step) throw notFound();
    // The run is counted before the body is read, the organization after. Otherwise one URL could be used to exhaust the
    // rate limit of the whole organization.
    this.limiter.consume(step.runId, 1);
    const body = await readBody();
    this.limiter.consume(step.organizationId, 1);
    const payload = parseJson(body);
    if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
      throw new AppError('not_an_object', 'The body must be a JSON object.');
    }
    return await this.tenants.transaction(step.organizationId, () => this.store(step, payload));
  }

  private async store(step: ResumableStep, payload: object): Promise<ResumeResult> {
    const { organizationId, runId, stepId } = step;
    const found = await this.waits.find(organizationId, runId, stepId);
    if (!found) throw notFound();
    if (isResumed(found)) return 'duplicate';
    if (isOver(found)) return 'over';
    const before = await this.waits.resume(organizationId, runId, stepId, payload);
    if (before === 'closed') return 'over';
    if (before === 'delivered' || before === 'consumed') return 'duplicate';
    for (const id of await this.waits.wake(organizationId, [runId])) {
      this.tenants.afterCommit(() => this.wakeUps.wake('run', id));
    }
    return 'stored';
  }
}

function isResumed({ wait }: WaitingStep): boolean {
  return wait === 'delivered' || wait === 'consumed';
}

function isOver({ run, step, wait }: WaitingStep): boolean {
  const isEnded = run === 'succeeded' || run === 'failed' || run === 'canceled';
  return (
    isEnded || wait === 'closed' || (step !== null && step !== 'running' && step !== 'waiting')
  );
}

function notFound(): AppError {
  return new AppError('not_found', NO_RUN);
}
