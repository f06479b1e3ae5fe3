import { Injectable } from '@nestjs/common';
import { ChangeFeed, resourceChange } from '../changes/change-feed.js';
import type { Contact } from '../contacts/contact.entity.js';
import { ContactView } from '../contacts/contact.results.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { parsePhone } from '../contacts/parse-field.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import { LiquidSandbox } from '../liquid/liquid-sandbox.js';
import { pageOf, readTimeCursor, timeCursor } from '../paging/paging.js';
import { WakeUps } from '../queue/wake-ups.js';
import { newId } from '../text/ids.js';
import { type MessageContent, writeContent } from './message-content.js';
import type { Message } from './message.entity.js';
import { type MessageFilter, MessagesRepository } from './messages.repository.js';

/** Whom a message is for or from; exactly one is given. */
export interface Addressee {
  contactId?: string;
  email?: string;
  phone?: string;
}

export interface EmailRequest extends MessageContent {
  to: Addressee;
  variables?: object;
  scheduledAt?: Date;
  idempotencyKey?: string;
  runId?: string;
}

/** The messages of organizations. Every method runs in a transaction of the organization that its caller has opened. */
@Injectable()
export class MessagesService {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly contacts: ContactsService,
    private readonly liquid: LiquidSandbox,
    private readonly tenants: TenantDatabase,
    private readonly wakeUps: WakeUps,
    private readonly changes: ChangeFeed,
  ) {}

  /**
   * Accepts an e-mail to a contact; a worker delivers it once this is committed. Throws `not_found` when no contact
   * is meant, `invalid_arguments` when it has no address, `no_consent` when it must not be written to.
   */
  async sendEmail(organizationId: string, request: EmailRequest): Promise<Message> {
    const contact = await this.addressed(organizationId, request.to);
    if (contact.email === null) {
      throw AppError.invalid('This contact has no e-mail address.', [
        { path: 'channel', message: 'is email, and the contact has no e-mail address' },
      ]);
    }
    if (contact.consent.email?.status === 'denied') {
      throw new AppError('no_consent', 'This contact has denied consent to e-mail.');
    }
    const { variables } = request;
    const scope = variables && { ...variables, contact: ContactView.of(contact) };
    const content = writeContent(request, scope, this.liquid);
    const scheduledAt = request.scheduledAt ?? null;
    const message = await this.messages.insert(organizationId, {
      id: newId('msg'),
      contactId: contact.id,
      channel: 'email',
      recipient: contact.email,
      subject: content.subject,
      body: content.body,
      status: scheduledAt && scheduledAt.getTime() > Date.now() ? 'scheduled' : 'queued',
      idempotencyKey: request.idempotencyKey ?? null,
      runId: request.runId ?? null,
      scheduledAt,
    });
    this.tenants.afterCommit(() =>
      this.wakeUps.wake('message', message.id, scheduledAt ?? undefined),
    );
    this.changes.publish(organizationId, resourceChange('messages', message.id));
    return message;
  }

  /** Throws `not_found` when the organization has no such message. */
  async get(organizationId: string, id: string): Promise<Message> {
    return found(await this.messages.find(organizationId, id));
  }

  /** One page, newest first, and the cursor of the next one unless this was the last. */
  async list(
    organizationId: string,
    filter: MessageFilter,
    page: { limit: number; cursor: string | undefined },
  ): Promise<{ messages: Message[]; nextCursor: string | null }> {
    const position = readTimeCursor(page.cursor);
    const rows = await this.messages.list(organizationId, filter, position, page.limit + 1);
    const { page: messages, nextCursor } = pageOf(rows, page.limit, timeCursor);
    return { messages, nextCursor };
  }

  /** Ids of messages of late that begin with the text, newest first, at most `limit`. */
  idsStartingWith(organizationId: string, text: string, limit: number): Promise<string[]> {
    return this.messages.idsStartingWith(organizationId, text, limit);
  }

  /** Keeps a message from being sent. Throws `not_found`, or `conflict` when it is too late for that. */
  async cancel(organizationId: string, id: string, by: string): Promise<Message> {
    const message = found(await this.messages.findForUpdate(organizationId, id));
    if (message.status === 'canceled') return message;
    if (message.status !== 'scheduled' && message.status !== 'queued') {
      throw new AppError('conflict', `This message is ${message.status}: it cannot be canceled.`);
    }
    this.changes.publish(organizationId, resourceChange('messages', id));
    return await this.messages.settle(organizationId, id, {
      status: 'canceled',
      reason: `Canceled by ${by}.`,
    });
  }

  /** The contact that is meant. Throws `not_found`, or `invalid_arguments` unless exactly one thing names it. */
  async addressed(
    organizationId: string,
    { contactId, email, phone }: Addressee,
  ): Promise<Contact> {
    if ([contactId, email, phone].filter((value) => value !== undefined).length !== 1) {
      throw AppError.invalid('Give exactly one of contact_id, email and phone.', [
        { path: '', message: 'needs exactly one of contact_id, email and phone' },
      ]);
    }
    if (contactId !== undefined) return await this.contacts.get(organizationId, contactId);
    if (email !== undefined) {
      const contact = await this.contacts.findByEmail(organizationId, email);
      if (contact) return contact;
      throw new AppError(
        'not_found',
        'No contact has this email. Add one with create_contact first.',
      );
    }
    const number = parsePhone(phone!);
    if ('fault' in number) {
      throw AppError.invalid(`phone ${number.fault}.`, [{ path: 'phone', message: number.fault }]);
    }
    const contact = await this.contacts.findByPhone(organizationId, number.value);
    if (contact) return contact;
    throw new AppError(
      'not_found',
      'No contact has this phone. Add one with create_contact first.',
    );
  }
}

function found(message: Message | null): Message {
  if (!message) throw AppError.notFound('message');
  return message;
}
