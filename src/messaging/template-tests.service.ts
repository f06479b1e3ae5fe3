import { Injectable } from '@nestjs/common';
import { AccountsService } from '../accounts/accounts.service.js';
import { HandoversService } from '../channels/handovers.service.js';
import type { Handover } from '../channels/channel-contract.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError, assertFound } from '../errors/app-error.js';
import { PaceService } from '../pacing/pace.service.js';
import type { RenderedTemplate } from '../templates/template-rendering.service.js';
import { newId } from '../text/ids.js';
import { MessageAttemptsRepository } from './message-attempts.repository.js';
import type { Message } from './message.entity.js';
import { MessagesRepository } from './messages.repository.js';
import { type PreviewRequest, TemplatePreviewsService } from './template-previews.service.js';
import type { TestStatus } from './template-preview.results.js';

const CHANNEL = 'email';
const STATUSES: Record<Handover['outcome'], TestStatus> = {
  sent: 'sent',
  refused: 'failed',
  failed: 'failed',
  unknown: 'uncertain',
};

/** Sends templates as test messages. It opens its own transactions, because no row may be locked while mail is sent. */
@Injectable()
export class TemplateTestsService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly previews: TemplatePreviewsService,
    private readonly handovers: HandoversService,
    private readonly messages: MessagesRepository,
    private readonly attempts: MessageAttemptsRepository,
    private readonly pace: PaceService,
    private readonly tenants: TenantDatabase,
  ) {}

  /**
   * Sends the e-mail of a template to the person, and stores it as a message without a contact. Throws the errors of a
   * preview, `rate_limited` when a quota is used up, and `forbidden` when nobody is signed in.
   */
  async send(
    organizationId: string,
    userId: string,
    request: PreviewRequest,
    signal: AbortSignal,
  ): Promise<Message> {
    const account = await this.accounts.find(userId, organizationId);
    if (!account) throw new AppError('forbidden', 'Only a signed-in person gets test messages.');
    // The message is stored before the handover. Otherwise parallel calls could send more than the quota allows.
    const { message, html, route } = await this.tenants.transaction(organizationId, async () => {
      const content = await this.compose(organizationId, request);
      const stored = await this.store(organizationId, account.email, request, content);
      return {
        message: stored,
        html: content.html,
        route: await this.handovers.route(organizationId, CHANNEL),
      };
    });
    const outgoing = {
      id: message.id,
      organizationId,
      contactId: null,
      to: account.email,
      subject: message.subject,
      body: message.body,
      ...(html !== undefined && { html }),
      createdAt: message.createdAt,
    };
    const { handover, providerId } = await this.handovers.handOver(
      organizationId,
      CHANNEL,
      outgoing,
      route,
      signal,
    );
    return { ...(await this.record(message, handover)), providerId };
  }

  private async compose(
    organizationId: string,
    request: PreviewRequest,
  ): Promise<RenderedTemplate> {
    if (await this.pace.lacksQuota(organizationId)) {
      const message =
        'The quota of messages for today, or that of storage, is used up. Ask the operator for a higher quota.';
      throw new AppError('rate_limited', message, { retryAfterSeconds: 3600 });
    }
    const { email, faults } = await this.previews.preview(organizationId, request);
    if (!email) throw AppError.invalidField('template_id', 'names a template without an e-mail');
    if (faults.length > 0) {
      throw AppError.invalid(`${faults[0]!.path} ${faults[0]!.message}.`, faults);
    }
    return email;
  }

  /**
   * Stores the message with the status `sending`. If the process crashes, a worker makes the message `uncertain` when
   * the lease of the message ends.
   */
  private async store(
    organizationId: string,
    recipient: string,
    request: PreviewRequest,
    content: RenderedTemplate,
  ): Promise<Message> {
    const message = await this.messages.insert(organizationId, {
      id: newId('msg'),
      contactId: null,
      channel: CHANNEL,
      recipient,
      subject: content.subject!,
      body: content.text,
      html: content.html ?? null,
      envelope: null,
      topic: null,
      status: 'queued',
      idempotencyKey: null,
      runId: null,
      scheduledAt: null,
      onUncertain: 'hold',
      templateId: request.templateId,
      templateVersion: request.version ?? null,
      locale: content.locale,
    });
    this.attempts.begin(organizationId, [message.id]);
    return message;
  }

  /** Stores the outcome, unless a report or a person has set the outcome in the meantime. */
  private async record({ organizationId, id }: Message, handover: Handover): Promise<Message> {
    const isSent = handover.outcome === 'sent';
    const outcome = {
      status: STATUSES[handover.outcome],
      reason: isSent ? 'The message is a test of a template.' : handover.reason,
      code: isSent ? null : handover.code,
    };
    return await this.tenants.transaction(organizationId, async () => {
      const found = assertFound(await this.messages.findForUpdate(organizationId, id), 'message');
      const isOpen = found.status === 'sending' || found.status === 'uncertain';
      if (isOpen) return await this.messages.settle(organizationId, id, outcome);
      return {
        ...found,
        status: outcome.status,
        statusReason: outcome.reason,
        reasonCode: outcome.code,
      };
    });
  }
}
