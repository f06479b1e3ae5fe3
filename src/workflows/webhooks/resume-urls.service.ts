import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Env } from '../../config/env.js';
import { SecretBox } from '../../database/secret-box.js';
import { RESUME_PATH } from './webhook.js';

/** A step of a run that waits, or will wait, for its resume URL. */
export interface ResumableStep {
  organizationId: string;
  runId: string;
  stepId: string;
}

const TOKEN = /^(org_[0-9A-Za-z]+)\.(run_[0-9A-Za-z]+)\.(.+)\.([0-9a-f]{64})$/s;

/**
 * Makes and reads resume URLs. A URL names its step and is signed, so it needs no row, and a forged one is refused
 * without a query.
 */
@Injectable()
export class ResumeUrlsService {
  private readonly key: string;

  constructor(
    private readonly env: Env,
    secrets: SecretBox,
  ) {
    this.key = secrets.derive('resume urls');
  }

  /** Returns the URL of a step. It is always the same. */
  urlOf(step: ResumableStep): string {
    const { organizationId, runId, stepId } = step;
    const path = `${organizationId}.${runId}.${encodeURIComponent(stepId)}`;
    return `${this.env.baseUrl}/${RESUME_PATH}/${path}.${this.sign(step)}`;
  }

  /** Returns the step that a token names, or undefined when its signature is wrong. */
  verify(token: string): ResumableStep | undefined {
    const [, organizationId, runId, stepId, given] = TOKEN.exec(token) ?? [];
    if (!organizationId || !runId || !stepId || !given) return undefined;
    const step = { organizationId, runId, stepId };
    // timingSafeEqual throws for different lengths. Both have 64 hexadecimal digits.
    const isOurs = timingSafeEqual(Buffer.from(given), Buffer.from(this.sign(step)));
    return isOurs ? step : undefined;
  }

  private sign({ organizationId, runId, stepId }: ResumableStep): string {
    // JSON, because joined texts could be split in another way and still have the same signature.
    const text = JSON.stringify([organizationId, runId, stepId]);
    return createHmac('sha256', this.key).update(text).digest('hex');
  }
}
