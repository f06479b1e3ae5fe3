import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Env } from '../../config/env.js';
import { SecretBox } from '../../database/secret-box.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError } from '../../errors/app-error.js';
import { RateLimiter, TokenBuckets } from '../../http/rate-limiter.js';
import { WakeUps } from '../../queue/wake-ups.js';
import { SecurityLog } from '../../security/security-log.js';
import { NO_RUN, RESUME_PATH } from './webhook.js';
import { RunWaitsRepository, type WaitingStep } from '../waits/run-waits.repository.js';

/** A step of a run that waits, or will wait, for its resume URL. */
interface ResumableStep {
  organizationId: string;
  runId: string;
  stepId: string;
}

/** A call of a resume URL. */
export interface ResumeCall {
  /** Reads the body, and returns a function that parses it. */
  readBody: (organizationId: string) => Promise<() => Promise<object>>;
  /** The address of the caller. */
  address: string | undefined;
}

/** The number of calls of one URL that may come at the same moment, and the calls a second afterwards. */
const CALLS = 30;
const CALLS_PER_SECOND = 1;
const TOKEN = /^(org_[0-9A-Za-z]+)\.(run_[0-9A-Za-z]+)\.(.+)\.([0-9a-f]{64})$/s;

/**
 * The result of a call of a resume URL. `duplicate`: an earlier call resumed the step. `over`: the step or its run has
 * ended.
 */
type ResumeResult = 'stored' | 'duplicate' | 'over';

/**
 * Makes resume URLs, and resumes the steps that wait for them. A URL names its step and is signed, so it needs no row,
 * and a forged URL is refused without a query.
 */
@Injectable()
export class ResumesService {
  /**
   * The keys of signatures. The first key signs. URLs that the other key signed stay valid while SECRET_KEY changes.
   */
  private readonly keys: readonly [string, ...string[]];
  private readonly calls = new TokenBuckets(CALLS, CALLS_PER_SECOND);

  constructor(
    private readonly env: Env,
    secrets: SecretBox,
    private readonly tenants: TenantDatabase,
    private readonly waits: RunWaitsRepository,
    private readonly limiter: RateLimiter,
    private readonly wakeUps: WakeUps,
    private readonly security: SecurityLog,
  ) {
    this.keys = secrets.deriveAll('resume urls');
  }

  /** Returns the URL of a step. The URL of a step stays the same until SECRET_KEY changes. */
  urlOf(step: ResumableStep): string {
    const { organizationId, runId, stepId } = step;
    const path = `${organizationId}.${runId}.${encodeURIComponent(stepId)}`;
    return `${this.env.baseUrl}/${RESUME_PATH}/${path}.${sign(step, this.keys[0])}`;
  }

  /**
   * Stores the payload with which a step continues. Only the first call counts, even if the run has not reached the
   * step yet. Malformed and forged tokens throw the same `not_found` as deleted runs.
   */
  async resume(token: string, { readBody, address }: ResumeCall): Promise<ResumeResult> {
    const step = this.verify(token);
    if (!step) {
      this.security.report('invalid_resume_url', { address });
      throw notFound();
    }
    const { organizationId, runId, stepId } = step;
    // Without this limit, everybody who knows one URL could exhaust the rate limit of the whole organization.
    this.calls.consume(
      JSON.stringify([organizationId, runId, stepId]),
      1,
      'Too many calls of this URL. Try again later.',
    );
    // The rate limit of the run counts a call before its body is read. The rate limit of the organization counts the
    // call afterwards, so that calls whose bodies never arrive do not count for the organization.
    this.limiter.consumeOfPart(organizationId, runId);
    const parse = await readBody(organizationId);
    this.limiter.consume(organizationId, 1);
    const payload = await parse();
    return await this.tenants.transaction(organizationId, () => this.store(step, payload));
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

  /** Returns the step that a token names, or undefined when its signature is wrong. */
  private verify(token: string): ResumableStep | undefined {
    const [, organizationId, runId, stepId, given] = TOKEN.exec(token) ?? [];
    if (!organizationId || !runId || !stepId || !given) return undefined;
    const step = { organizationId, runId, stepId };
    // timingSafeEqual throws for different lengths. Both texts have 64 hexadecimal digits.
    const isOurs = this.keys.some((key) =>
      timingSafeEqual(Buffer.from(given), Buffer.from(sign(step, key))),
    );
    return isOurs ? step : undefined;
  }
}

function sign({ organizationId, runId, stepId }: ResumableStep, key: string): string {
  // The signed text is JSON, because joined texts could be split in another way and still have the same signature.
  const text = JSON.stringify([organizationId, runId, stepId]);
  return createHmac('sha256', key).update(text).digest('hex');
}

function isResumed({ wait }: WaitingStep): boolean {
  return wait === 'delivered' || wait === 'consumed';
}

function isOver({ run, step, wait }: WaitingStep): boolean {
  const isOpenRun = run === 'queued' || run === 'running' || run === 'waiting';
  const isOpenStep = step === null || step === 'running' || step === 'waiting';
  return !isOpenRun || !isOpenStep || wait === 'closed';
}

function notFound(): AppError {
  return new AppError('not_found', NO_RUN);
}
