import { Injectable } from '@nestjs/common';
import { AccountsService } from '../accounts/accounts.service.js';
import { HandoversService } from '../channels/handovers.service.js';
import type { Handover } from '../channels/channel-contract.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import { PaceService } from '../pacing/pace.service.js';
import { newId } from '../text/ids.js';
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
    private readonly pace: PaceService,
    private readonly tenants: TenantDatabase,
  ) {}

  /**
   * Sends the e-mail of a template to the person, and stores it as a message without a contact. Throws what a preview
   * throws, `rate_limited` without a quota, and `forbidden` when nobody is signed in.
   */
  async send(
    organizationId: string,
    userId: string,
    request: PreviewRequest,
    signal: AbortSignal,
  ): Promise<Message> {
    const account = await this.accounts.find(userId, organizationId);
    if (!account) throw new AppError('forbidden', 'Only a signed-in person gets test messages.');
    const content = await this.tenants.transaction(organizationId, async () => {
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
    });
    const id = newId('msg');
    const outgoing = {
      id,
      organizationId,
      contactId: null,
      to: account.email,
      subject: content.subject!,
      body: content.text,
      ...(content.html !== undefined && { html: content.html }),
      createdAt: new Date(),
    };
    const { handover, providerId } = await this.handovers.handOver(
      organizationId,
      CHANNEL,
      outgoing,
      await this.tenants.transaction(organizationId, () =>
        this.handovers.route(organizationId, CHANNEL),
      ),
      signal,
    );
    const isSent = handover.outcome === 'sent';
    return await this.tenants.transaction(organizationId, async () => {
      const message = await this.messages.insert(organizationId, {
        id,
        contactId: null,
        channel: CHANNEL,
        recipient: account.email,
        subject: outgoing.subject,
        body: content.text,
        html: content.html ?? null,
        envelope: null,
        topic: null,
        status: STATUSES[handover.outcome],
        statusReason: isSent ? 'The message is a test of a template.' : handover.reason,
        reasonCode: isSent ? null : handover.code,
        idempotencyKey: null,
        runId: null,
        scheduledAt: null,
        onUncertain: 'hold',
        templateId: request.templateId,
        templateVersion: request.version ?? null,
        locale: content.locale,
      });
      return { ...message, providerId };
    });
  }
}
