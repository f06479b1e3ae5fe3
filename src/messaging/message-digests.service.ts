import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import { DigestsService } from '../pacing/digests.service.js';
import type { OpenDigest } from '../pacing/message-digest.entity.js';
import { WakeUps } from '../queue/wake-ups.js';
import type { PinnedTemplate } from '../templates/published-templates.service.js';
import type { MessageContent } from './message-content.service.js';
import type { DigestInput } from './message.inputs.js';
import type { Message } from './message.entity.js';
import { MessageTemplatesService } from './message-templates.service.js';
import { type MessageRequest, type MessageTarget, MessagesService } from './messages.service.js';

const LONGEST_ITEMS_BYTES = 256 * 1024;

/**
 * Combines several calls of `send_message` into one message. The caller must have opened a transaction of the
 * organization.
 */
@Injectable()
export class MessageDigestsService {
  constructor(
    private readonly messages: MessagesService,
    private readonly digests: DigestsService,
    private readonly tenants: TenantDatabase,
    private readonly wakeUps: WakeUps,
    private readonly templates: MessageTemplatesService,
  ) {}

  /**
   * Adds the variables of the call to the open digest, or begins a digest. Returns the message of the digest and the
   * number of its items. A call with a different template begins a new digest. Throws the same errors as {@link
   * MessagesService.send}.
   */
  async add(
    organizationId: string,
    request: MessageRequest,
    digest: DigestInput,
  ): Promise<{ message: Message; count: number }> {
    if (request.scheduledAt) {
      throw AppError.invalidField('digest', 'must be absent with scheduled_at');
    }
    const item = request.variables ?? {};
    const target = await this.messages.findTarget(organizationId, request);
    const { contact, channel, topic, recipient } = target;
    const key = { contactId: contact.id, channel, topic, recipient, key: digest.key };
    const template = await this.templateOf(organizationId, request);
    const open = await this.digests.findOpen(organizationId, key);
    if (open && open.templateId !== (template?.id ?? null)) await this.release(open);
    else if (open) {
      const count = await this.extend(open, target, item);
      if (count !== undefined) {
        return { message: await this.messages.get(organizationId, open.messageId), count };
      }
    }
    return { message: await this.begin(request, target, digest, template), count: 1 };
  }

  /**
   * Adds an item to the message and returns the new number of items. When the item does not fit, sends the message as
   * it is and returns undefined.
   */
  private async extend(
    open: OpenDigest,
    target: MessageTarget,
    item: object,
  ): Promise<number | undefined> {
    const items = [...open.items, item];
    let isFull = items.length >= open.maxItems;
    let count: number | undefined = items.length;
    try {
      assertSize(items);
      await this.digests.add(open, item, await this.compose(open, target, items));
    } catch (error) {
      // With this item, the content is too long or cannot be rendered. The next message begins with this item and the
      // templates of its call.
      if (!(error instanceof AppError) || error.code !== 'invalid_arguments') throw error;
      isFull = true;
      count = undefined;
    }
    if (isFull) await this.release(open);
    else this.messages.publish(open.organizationId, open.messageId);
    return count;
  }

  /**
   * Renders the message with all items. If the message has a template, uses the version that the first item was
   * rendered with.
   */
  private async compose(
    open: OpenDigest,
    target: MessageTarget,
    items: readonly object[],
  ): Promise<MessageContent> {
    const { organizationId, variables, subject, body, html, templateId, locale } = open;
    const opened = { ...target, id: open.messageId };
    if (templateId !== null) {
      const version = open.templateVersion!;
      const from = await this.templates.findUsed(organizationId, templateId, version);
      return await this.messages.compose(opened, { template: { from, locale, items } }, variables);
    }
    const given = {
      ...(subject !== null && { subject }),
      ...(body !== null && { body }),
      ...(html !== null && { html }),
    };
    const scope = { ...variables, digest: { items, count: items.length } };
    return await this.messages.compose(opened, given, scope);
  }

  /** Queues the message unchanged. */
  private async release(open: OpenDigest): Promise<void> {
    const { organizationId, messageId } = open;
    await this.digests.close(open);
    this.tenants.afterCommit(() =>
      this.wakeUps.wake('message', messageId, undefined, organizationId),
    );
    this.messages.publish(organizationId, messageId);
  }

  private async templateOf(
    organizationId: string,
    { template }: MessageRequest,
  ): Promise<PinnedTemplate | undefined> {
    return template && (await this.templates.pin(organizationId, template.from));
  }

  private async begin(
    request: MessageRequest,
    target: MessageTarget,
    { key, window_seconds: seconds, max_items: maxItems }: DigestInput,
    template: PinnedTemplate | undefined,
  ): Promise<Message> {
    const { organizationId } = target;
    const variables = request.variables ?? {};
    const items = [variables];
    assertSize(items);
    const content = template
      ? await this.messages.compose(
          target,
          { ...request, template: { from: template, items } },
          variables,
        )
      : await this.messages.compose(target, request, {
          ...variables,
          digest: { items, count: 1 },
        });
    const { id } = await this.messages.store(organizationId, request, target, content, 'held');
    const digest = {
      organizationId,
      messageId: id,
      subject: request.subject ?? null,
      body: request.body ?? null,
      html: request.html ?? null,
      variables,
      items,
      maxItems,
    };
    await this.digests.begin(digest, key, seconds);
    return await this.messages.get(organizationId, id);
  }
}

function assertSize(items: readonly object[]): void {
  if (Buffer.byteLength(JSON.stringify(items)) <= LONGEST_ITEMS_BYTES) return;
  throw AppError.invalidField(
    'variables',
    `must have at most ${LONGEST_ITEMS_BYTES / 1024} KiB in a digest`,
  );
}
