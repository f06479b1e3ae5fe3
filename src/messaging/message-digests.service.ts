import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import { DigestsService } from '../pacing/digests.service.js';
import type { MessageDigest } from '../pacing/message-digest.entity.js';
import { WakeUps } from '../queue/wake-ups.js';
import type { DigestInput } from './message.inputs.js';
import type { Message } from './message.entity.js';
import { type MessageRequest, type MessageTarget, MessagesService } from './messages.service.js';

const LONGEST_ITEMS_BYTES = 256 * 1024;

/** Sends several calls as one message. The caller must have opened a transaction of the organization. */
@Injectable()
export class MessageDigestsService {
  constructor(
    private readonly messages: MessagesService,
    private readonly digests: DigestsService,
    private readonly tenants: TenantDatabase,
    private readonly wakeUps: WakeUps,
  ) {}

  /**
   * Adds the variables of the call to the message that collects them, or begins such a message. Returns the message and
   * the number of its items. Throws as {@link MessagesService.send} does.
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
    const { contact, channel, topic } = target;
    const key = { contactId: contact.id, channel, topic, key: digest.key };
    const open = await this.digests.findOpen(organizationId, key);
    const count = open && (await this.extend(open, target, item));
    if (open && count !== undefined) {
      return { message: await this.messages.get(organizationId, open.messageId), count };
    }
    return { message: await this.begin(organizationId, request, target, digest), count: 1 };
  }

  /** Returns the new number of items. Returns undefined, and sends the message as it is, when the item does not fit. */
  private async extend(
    open: MessageDigest,
    target: MessageTarget,
    item: object,
  ): Promise<number | undefined> {
    const { organizationId, messageId, variables, subject, body, html } = open;
    const items = [...open.items, item];
    const given = {
      ...(subject !== null && { subject }),
      ...(body !== null && { body }),
      ...(html !== null && { html }),
    };
    let isFull = items.length >= open.maxItems;
    let count: number | undefined = items.length;
    try {
      const scope = { ...variables, digest: { items, count } };
      assertSize(items);
      const opened = { ...target, id: messageId };
      await this.digests.add(open, item, await this.messages.compose(opened, given, scope));
    } catch (error) {
      // The content with this item is too long or fails. The next message begins with the item and its own templates.
      if (!(error instanceof AppError) || error.code !== 'invalid_arguments') throw error;
      isFull = true;
      count = undefined;
    }
    if (isFull) {
      await this.digests.close(open);
      this.tenants.afterCommit(() =>
        this.wakeUps.wake('message', messageId, undefined, organizationId),
      );
    }
    this.messages.publish(organizationId, messageId);
    return count;
  }

  private async begin(
    organizationId: string,
    request: MessageRequest,
    target: MessageTarget,
    { key, window_seconds: seconds, max_items: maxItems }: DigestInput,
  ): Promise<Message> {
    const variables = request.variables ?? {};
    const items = [variables];
    assertSize(items);
    const scope = { ...variables, digest: { items, count: 1 } };
    const content = await this.messages.compose(target, request, scope);
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
