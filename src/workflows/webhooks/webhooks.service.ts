import { Injectable } from '@nestjs/common';
import { AppError } from '../../errors/app-error.js';
import { Failpoints } from '../../failpoints/failpoints.js';
import { TokenBuckets } from '../../http/rate-limiter.js';
import { acceptedFormats } from '../definitions/webhook-formats.js';
import type { RunStarted } from '../triggers/run-starts.service.js';
import { DeliveryLogService } from './delivery-log.service.js';
import type { DeliveryRecord } from './delivery-record.js';
import { IncomingDelivery, type WebhookRequest } from './incoming-delivery.js';
import { isMetaChallenge, metaChallenge } from './preset-delivery.js';
import { queryOf } from './signatures/signed-request.js';
import { type ReceivedRun, WebhookAnswersService } from './webhook-answers.service.js';
import { type VerifiedDelivery, WebhookChecksService } from './webhook-checks.service.js';
import { WebhookLookUpsService } from './webhook-look-ups.service.js';
import { WebhookStartsService } from './webhook-starts.service.js';
import { noWebhook, type Webhook, webhookStatus } from './webhook.js';

/** The result of a delivery. `skipped` means that the condition of the trigger is false, so there is no run. */
export type ReceivedWebhook = ReceivedRun | 'skipped' | Challenge;

/** The text that a provider sends to verify the address of a webhook. The response repeats this text. */
export interface Challenge {
  challenge: string;
}

/** The largest burst of test deliveries of a workflow, and of challenges of a workflow from one network. */
const BURST = 30;
/** The largest number of look-ups for one delivery whose workflow changes meanwhile. */
const MOST_ATTEMPTS = 4;
const CHANGES_OFTEN = 'The workflow is being changed at the moment. Send the webhook again.';
const WRONG_TOKEN = 'hub.verify_token must be the verify_token of the workflow.';

/** Receives webhooks: looks them up, checks them, stores their runs, and waits for the outcome on request. */
@Injectable()
export class WebhooksService {
  /**
   * The limits of test deliveries. Each test delivery is written immediately, so each workflow may have a burst of 30
   * test deliveries, and then one per second. Only deliveries that passed the signature check count. Otherwise a
   * stranger could use up the limit.
   */
  private readonly tests = new TokenBuckets(BURST, 1);
  /**
   * The limits of challenges. Each network has a separate limit for each workflow. Challenges with wrong tokens count
   * too. So a stranger who guesses tokens cannot use up the limit of the provider.
   */
  private readonly challenges = new TokenBuckets(BURST, 1);

  constructor(
    private readonly lookUps: WebhookLookUpsService,
    private readonly checks: WebhookChecksService,
    private readonly starts: WebhookStartsService,
    private readonly failpoints: Failpoints,
    private readonly log: DeliveryLogService,
    private readonly answers: WebhookAnswersService,
  ) {}

  /**
   * Checks a delivery and starts its run. The run is committed when the promise resolves. Every id that does not belong
   * to an active webhook throws the same `not_found`, so that nobody can probe for workflows.
   */
  async receive(workflowId: string, request: WebhookRequest): Promise<ReceivedWebhook> {
    const delivery = new IncomingDelivery(request);
    const cached = request.isLarge ? undefined : this.lookUps.getCached(workflowId);
    const received = cached && (await this.receiveCached(cached, delivery));
    if (received) return received;
    const webhook = await this.lookUps.find(workflowId);
    return await this.logFailures(webhook, delivery, () => this.receiveFound(webhook, delivery));
  }

  /**
   * Receives a GET. Returns undefined unless the workflow accepts GET, or the request is a challenge of Meta that the
   * workflow expects. Throws `invalid_signature` for a challenge with a wrong token.
   */
  async receiveGet(
    workflowId: string,
    request: WebhookRequest,
  ): Promise<ReceivedWebhook | undefined> {
    const webhook = await this.lookUps.find(workflowId).catch(ignoreUnknown);
    if (!webhook?.active) return undefined;
    const query = queryOf(request.url);
    const { verifyToken } = webhook.options;
    const delivery = new IncomingDelivery(request);
    if (verifyToken !== undefined && isMetaChallenge(query)) {
      delivery.record.body = Buffer.alloc(0);
      return await this.logFailures(webhook, delivery, async () => {
        const key = `${webhook.organizationId} ${workflowId} ${request.network()}`;
        this.challenges.consume(key, 1, 'Too many challenges. Try again later.');
        const challenge = metaChallenge(query, verifyToken);
        if (challenge === undefined) throw new AppError('invalid_signature', WRONG_TOKEN);
        return this.answerChallenge(webhook, delivery, challenge);
      });
    }
    if (!acceptedFormats(webhook.options).includes('get')) return undefined;
    return await this.logFailures(webhook, delivery, () => this.receiveFound(webhook, delivery));
  }

  /**
   * Checks a delivery as {@link receive} does, even if the workflow is inactive. Logs the delivery without a run and
   * returns its log id.
   */
  async test(workflowId: string, request: WebhookRequest): Promise<string> {
    const webhook = await this.lookUps.find(workflowId);
    const delivery = new IncomingDelivery(request);
    return await this.logFailures(webhook, delivery, async () => {
      let verified = await this.checkCurrent(webhook, delivery);
      if (verified === 'changed') {
        verified = await this.checks.check(await this.lookUps.find(workflowId), delivery);
      }
      const { payloadBytes, large } = verified;
      const key = `${webhook.organizationId} ${workflowId}`;
      this.tests.consume(key, 1, 'Too many test deliveries. Try again later.');
      const body = large ? undefined : payloadBytes;
      const outcome = { kind: 'test', status: 200, code: 'recorded' } as const;
      return await this.log.record(webhook, { ...delivery.record, body, ...outcome });
    });
  }

  /**
   * Receives a delivery with a cached webhook, which may be out of date. Returns undefined when a check fails or no run
   * was stored. The caller then looks the webhook up again, so that a sender is never refused because of a stale cache.
   */
  private async receiveCached(
    webhook: Webhook,
    delivery: IncomingDelivery,
  ): Promise<ReceivedWebhook | undefined> {
    const verified = await this.checks.check(webhook, delivery).catch(() => undefined);
    // The cache is not used for a challenge or a large payload. A challenge is rare, and a look-up must show that the
    // workflow is active. A large payload needs a transaction of its own.
    if (!verified || verified.challenge !== undefined || verified.large) return undefined;
    return await this.logFailures(webhook, delivery, async () => {
      const runId = await this.starts.startInBatch(webhook, verified);
      if (runId === undefined) return undefined;
      return await this.answer(webhook, delivery, { runId, duplicate: false });
    });
  }

  /**
   * Checks a delivery and starts its run with the webhook as it is after the body has arrived. Looks the webhook up and
   * checks again when the workflow changes meanwhile. Throws `unavailable` when it changes again and again.
   */
  private async receiveFound(found: Webhook, delivery: IncomingDelivery): Promise<ReceivedWebhook> {
    let webhook = found;
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
      if (!webhook.active) throw noWebhook();
      const started = await this.start(webhook, delivery);
      if (started === 'changed') {
        webhook = await this.lookUps.find(webhook.workflowId);
        continue;
      }
      if (started !== 'skipped' && 'challenge' in started) {
        return this.answerChallenge(webhook, delivery, started.challenge);
      }
      delivery.releaseBody();
      return await this.answer(webhook, delivery, started);
    }
    throw new AppError('unavailable', CHANGES_OFTEN, { retryAfterSeconds: 2 });
  }

  /**
   * Checks a delivery and stores its run. Returns `changed` when the webhook must be looked up again first. Only this
   * method has the payload, so that later waits do not keep the payload in memory.
   */
  private async start(
    webhook: Webhook,
    delivery: IncomingDelivery,
  ): Promise<RunStarted | 'skipped' | 'changed' | Challenge> {
    const verified = await this.checkCurrent(webhook, delivery);
    if (verified === 'changed') return verified;
    const { challenge } = verified;
    return challenge === undefined ? await this.starts.start(webhook, verified) : { challenge };
  }

  /**
   * Checks a delivery. Returns `changed` when the body arrived long after the look-up of the webhook. Without this, a
   * sender could keep a secret valid after its replacement by sending the body slowly.
   */
  private async checkCurrent(
    webhook: Webhook,
    delivery: IncomingDelivery,
  ): Promise<VerifiedDelivery | 'changed'> {
    try {
      const verified = await this.checks.check(webhook, delivery);
      return delivery.isNewerThan(webhook) ? 'changed' : verified;
    } catch (error) {
      // The sender may have signed with a secret that is newer than the look-up.
      if (delivery.isNewerThan(webhook)) return 'changed';
      throw error;
    }
  }

  /** Logs the accepted delivery and returns its response, after the wait that the sender prefers. */
  private async answer(
    webhook: Webhook,
    delivery: IncomingDelivery,
    started: RunStarted | 'skipped',
  ): Promise<ReceivedWebhook> {
    const record = acceptedRecord(delivery);
    const subject = started === 'skipped' ? webhook.workflowId : started.runId;
    await this.failpoints.reach('after commit, before response', subject);
    if (started === 'skipped') {
      this.log.add(webhook, { ...record, status: 202, code: 'skipped' });
      return 'skipped';
    }
    const received = await this.answers.get(webhook, started, delivery.request);
    const { runId, duplicate, status } = received;
    const code = duplicate ? 'duplicate' : 'accepted';
    this.log.add(webhook, { ...record, status, code, runId });
    return received;
  }

  private answerChallenge(
    webhook: Webhook,
    delivery: IncomingDelivery,
    challenge: string,
  ): Challenge {
    this.log.add(webhook, { ...acceptedRecord(delivery), status: 200, code: 'challenge' });
    return { challenge };
  }

  /** Runs `work`. When `work` throws, adds a refused delivery to the delivery log and throws the same error. */
  private async logFailures<T>(
    webhook: Webhook,
    delivery: IncomingDelivery,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const failure = error instanceof AppError ? error.code : 'internal';
      const code = failure === 'not_found' && !webhook.active ? 'inactive' : failure;
      const outcome = { kind: 'refused', status: webhookStatus(failure), code } as const;
      this.log.add(webhook, { ...delivery.record, ...outcome });
      throw error;
    }
  }
}

/** Returns the record of an accepted delivery without its body, so that the queue of the log does not keep the body. */
function acceptedRecord({ record }: IncomingDelivery): Omit<DeliveryRecord, 'status' | 'code'> {
  const { headers, url, receivedAt, digest } = record;
  return { kind: 'accepted', verified: true, headers, url, receivedAt, digest };
}

function ignoreUnknown(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'not_found') return undefined;
  throw error;
}
