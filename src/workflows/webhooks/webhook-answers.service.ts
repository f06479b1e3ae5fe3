import { Injectable } from '@nestjs/common';
import { readStoredAnswer, type WebhookAnswer } from '../definitions/webhook-answer.js';
import { MAX_WAIT } from '../definitions/webhook-options.js';
import { type RunOutcome, RunWaiterService } from '../runs/run-waiter.service.js';
import type { RunStarted } from '../triggers/run-starts.service.js';
import type { WebhookRequest } from './incoming-delivery.js';
import { preferredWait, type Webhook } from './webhook.js';

/** An outcome without the outputs and errors of steps. */
interface ShownOutcome {
  /** Absent when the stored answer is invalid. */
  status?: RunOutcome['status'];
  error?: { code: string; message: string };
}

/** The answer to a delivery that has a run. */
export interface ReceivedRun extends RunStarted {
  status: number;
  /** The outcome of the run. Present when the run ended while the sender waited. */
  outcome?: RunOutcome | ShownOutcome;
  /** The answer of a `respond` step. When present, only this answer is sent. */
  answer?: WebhookAnswer;
}

/** The response when SQL of a tool has stored an answer that no step can give. */
const INVALID_ANSWER: Pick<ReceivedRun, 'status' | 'outcome'> = {
  status: 500,
  outcome: { error: { code: 'internal', message: 'The stored answer of the run is invalid.' } },
};
const VERBS = { failed: 'failed', canceled: 'was canceled' } as const;

/** Waits for the response to a delivery: the answer of a step, the outcome of the run, or only the id of the run. */
@Injectable()
export class WebhookAnswersService {
  constructor(private readonly waiter: RunWaiterService) {}

  /** Returns the response. Waits for the time that the sender prefers and the workflow allows. Never throws. */
  async get(webhook: Webhook, started: RunStarted, request: WebhookRequest): Promise<ReceivedRun> {
    const { options, organizationId } = webhook;
    const { runId, duplicate } = started;
    const { headers, gone } = request;
    if (options.needs?.answer) return await this.getAnswer(webhook, started, request);
    const seconds = preferredWait(headers.prefer, options.waitSeconds);
    const outcome = await this.waiter.wait(organizationId, runId, seconds, gone);
    return { ...started, status: duplicate || outcome ? 200 : 202, ...(outcome && { outcome }) };
  }

  private async getAnswer(
    { options, organizationId }: Webhook,
    started: RunStarted,
    { headers, gone }: WebhookRequest,
  ): Promise<ReceivedRun> {
    const { waitSeconds } = options;
    const { runId, duplicate } = started;
    const seconds = preferredWait(headers.prefer, waitSeconds ?? MAX_WAIT);
    const found = await this.waiter.waitForAnswer(organizationId, runId, seconds, gone);
    if (!found) return { ...started, status: duplicate ? 200 : 202 };
    if ('answer' in found) {
      const answer = readStoredAnswer(found.answer);
      return { ...started, ...(answer ? { status: answer.status, answer } : INVALID_ANSWER) };
    }
    const { outcome } = found;
    return {
      ...started,
      status: outcome.status === 'succeeded' ? 200 : 500,
      // Only wait_seconds allows senders to see the outputs and errors of steps.
      outcome: waitSeconds === undefined ? hideSteps(outcome) : outcome,
    };
  }
}

function hideSteps({ status }: RunOutcome): ShownOutcome {
  if (status === 'succeeded') return { status };
  return {
    status,
    error: { code: 'internal', message: `The run ${VERBS[status]} before it answered.` },
  };
}
