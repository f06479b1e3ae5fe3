import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Env } from '../../config/env.js';
import { SecretBox } from '../../database/secret-box.js';
import { RESUME_PATH } from './malformed-webhook-path.js';

/** A step of a run that waits, or will wait, to be resumed. */
export interface ResumableStep {
  organizationId: string;
  runId: string;
  stepId: string;
}

const TOKEN = /^(org_[0-9A-Za-z]+)\.(run_[0-9A-Za-z]+)\.(.+)\.([0-9a-f]{64})$/s;

/**
 * Makes the URLs by which other systems let runs go on. A URL says itself which step of which run it is for, signed, so
 * nothing need be stored before it is given away, and a forged one is refused without asking the database.
 */
@Injectable()
export class ResumeUrls {
  private readonly key: string;

  constructor(
    private readonly env: Env,
    secrets: SecretBox,
  ) {
    this.key = secrets.derive('resume urls');
  }

  /** The URL of a step, the same at any time. */
  urlOf(step: ResumableStep): string {
    const { organizationId, runId, stepId } = step;
    const path = `${organizationId}.${runId}.${encodeURIComponent(stepId)}`;
    return `${this.env.baseUrl}/${RESUME_PATH}/${path}.${this.sign(step)}`;
  }

  /** The step that a token is for; undefined for one that was not made here. */
  open(token: string): ResumableStep | undefined {
    const [, organizationId, runId, stepId, given] = TOKEN.exec(token) ?? [];
    if (!organizationId || !runId || !stepId || !given) return undefined;
    const step = { organizationId, runId, stepId };
    // Both are 64 hexadecimal digits, so the lengths tell nothing and cannot differ.
    const isOurs = timingSafeEqual(Buffer.from(given), Buffer.from(this.sign(step)));
    return isOurs ? step : undefined;
  }

  private sign({ organizationId, runId, stepId }: ResumableStep): string {
    // As JSON, so that no other three texts make the same bytes.
    const text = JSON.stringify([organizationId, runId, stepId]);
    return createHmac('sha256', this.key).update(text).digest('hex');
  }
}
