import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ContactsService } from '../contacts/contacts.service.js';
import { AppError } from '../errors/app-error.js';
import { type CustomEventName, isCustomEventName } from '../events/custom-event-name.js';
import { DomainEvents } from '../events/domain-events.js';
import { parseJsonExactly } from '../http/request-body.js';
import { pageOf, readTimeCursor, timeCursor } from '../paging/paging.js';
import { MAX_VALUE_BYTES, VALUE_LIMITS } from '../text/value-size.js';
import { CustomEventsRepository, type StoredEvent } from './custom-events.repository.js';

export interface NewCustomEvent {
  name: CustomEventName;
  data: object;
  contactId?: string;
  /** The e-mail address of the contact, used when `contactId` is absent. */
  email?: string;
}

/** Emits custom events of organizations. Every method needs a transaction of the organization. */
@Injectable()
export class CustomEventsService implements OnModuleInit {
  constructor(
    private readonly events: DomainEvents,
    private readonly contacts: ContactsService,
    private readonly stored: CustomEventsRepository,
  ) {}

  onModuleInit(): void {
    this.events.subscribeToDeliveries(async (organizationId, { id, name }, runs) => {
      if (isCustomEventName(name)) await this.stored.addContinued(organizationId, id, runs);
    });
  }

  /**
   * Emits an event and returns its id. The runs that it starts, and the event for waiting runs, are stored in the same
   * transaction. Throws `not_found` for an unknown contact: an event without a contact would end the waits of runs about
   * all contacts.
   */
  async emit(
    organizationId: string,
    { name, data, contactId, email }: NewCustomEvent,
  ): Promise<string> {
    const contact =
      contactId === undefined && email === undefined
        ? null
        : await this.contacts.getBy(organizationId, { contact_id: contactId, email });
    const payload = { event: name, data, contact_id: contact?.id ?? null };
    assertFits(payload);
    const effects = { startedRuns: 0 };
    const event = { name, contactId: payload.contact_id, payload, effects };
    const emitted = await this.events.emit(organizationId, event);
    this.stored.insert(organizationId, {
      ...emitted,
      name,
      contactId: payload.contact_id,
      startedRuns: effects.startedRuns,
      data,
    });
    return emitted.id;
  }

  /** Returns a page of the stored events, the newest first. */
  async list(
    organizationId: string,
    name: string | undefined,
    page: { limit: number; cursor?: string },
  ): Promise<{ events: StoredEvent[]; nextCursor: string | null }> {
    const after = readTimeCursor(page.cursor);
    const rows = await this.stored.list(organizationId, name, after, page.limit + 1);
    const { page: events, nextCursor } = pageOf(rows, page.limit, timeCursor);
    return { events, nextCursor };
  }
}

/** Throws `invalid_arguments` or `too_complex` for an event that cannot be the payload of a run. */
function assertFits(payload: object): void {
  const bytes = Buffer.from(JSON.stringify(payload));
  if (bytes.length > MAX_VALUE_BYTES) {
    throw AppError.invalidField('data', `must be at most ${MAX_VALUE_BYTES} bytes`);
  }
  parseJsonExactly(bytes, VALUE_LIMITS);
}
