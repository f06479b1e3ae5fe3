import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError } from '../../errors/app-error.js';
import { parseJson } from '../../http/request-body.js';
import { RateLimiter } from '../../http/rate-limiter.js';
import { WakeUps } from '../../queue/wake-ups.js';
import { NO_RUN } from './malformed-webhook-path.js';
import { type ResumableStep, ResumeUrls } from './resume-urls.service.js';
import { RunWaitsRepository, type WaitingStep } from '../waits/run-waits.repository.js';

/** stored: durably. duplicate: another call was the first. over: the step, or its run, waits no more. */
export type Resumed = 'stored' | 'duplicate' | 'over';

/** Takes the calls of resume URLs. */
@Injectable()
export class ResumesService {
  constructor(
    private readonly urls: ResumeUrls,
    private readonly tenants: TenantDatabase,
    private readonly waits: RunWaitsRepository,
    private readonly limiter: RateLimiter,
    private readonly wakeUps: WakeUps,
  ) {}

  /**
   * Stores what a step is resumed with, also before its run has reached it: then the step will not have to wait. The
   * first call wins. One `not_found` for tokens that are malformed or forged, and for runs that are gone.
   */
  async resume(token: string, readBody: () => Promise<Buffer>): Promise<Resumed> {
    const step = this.urls.open(token);
    if (!step) throw notFound();
    // The body is read only once the token is known to be ours. Not yet the organization's allowance: whoever has one
    // URL could use that up.
    this.limiter.consume(step.runId, 1);
    const body = await readBody();
    this.limiter.consume(step.organizationId, 1);
    const payload = parseJson(body);
    if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
      throw new AppError('not_an_object', 'The body must be a JSON object.');
    }
    return await this.tenants.transaction(step.organizationId, () => this.store(step, payload));
  }

  private async store(step: ResumableStep, payload: object): Promise<Resumed> {
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
