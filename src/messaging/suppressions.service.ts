import { Injectable } from '@nestjs/common';
import { ContactRulesService } from '../contacts/contact-rules.service.js';
import { parsePhone } from '../contacts/parse-field.js';
import { AppError } from '../errors/app-error.js';
import { pageOf, readTimeCursor, timeCursor } from '../paging/paging.js';
import { newId } from '../text/ids.js';
import { parseEmail } from '../text/parse-email.js';
import type { Message } from './message.entity.js';
import type { SuppressedAddress, SuppressionReason } from './suppressed-address.entity.js';
import { SuppressionsRepository } from './suppressions.repository.js';

/** The channels whose addresses a person can enter. */
export const ADDRESS_CHANNELS = ['email', 'sms'] as const;
export type AddressChannel = (typeof ADDRESS_CHANNELS)[number];

/**
 * Manages suppressed addresses, which get no messages. A worker checks them in the transaction that begins an attempt.
 * The caller of each method must have opened a transaction of the organization.
 */
@Injectable()
export class SuppressionsService {
  constructor(
    private readonly suppressions: SuppressionsRepository,
    private readonly rules: ContactRulesService,
  ) {}

  /** Suppresses an address that a person or a step names. Throws `invalid_arguments` for an invalid address. */
  async add(
    organizationId: string,
    channel: AddressChannel,
    given: string,
  ): Promise<SuppressedAddress> {
    const address = await this.normalize(organizationId, channel, given);
    return await this.insert(organizationId, channel, address, 'manual', null);
  }

  /** Suppresses the address that a message went to, after a bounce or a complaint. */
  async addRecipient(
    { organizationId, id, channel, recipient }: Message,
    reason: SuppressionReason,
  ): Promise<void> {
    if (recipient !== null) await this.insert(organizationId, channel, recipient, reason, id);
  }

  /** Allows messages to an address again. Throws `not_found` when the address is not suppressed. */
  async remove(organizationId: string, channel: AddressChannel, given: string): Promise<void> {
    const address = await this.normalize(organizationId, channel, given);
    if (!(await this.suppressions.delete(organizationId, channel, address))) {
      throw new AppError('not_found', `The address ${address} is not suppressed for ${channel}.`);
    }
  }

  /** Returns one page, newest first, and the cursor of the next page, or null on the last page. */
  async list(
    organizationId: string,
    channel: AddressChannel | undefined,
    page: { limit: number; cursor: string | undefined },
  ): Promise<{ addresses: SuppressedAddress[]; nextCursor: string | null }> {
    const position = readTimeCursor(page.cursor);
    const rows = await this.suppressions.list(organizationId, channel, position, page.limit + 1);
    const { page: addresses, nextCursor } = pageOf(rows, page.limit, timeCursor);
    return { addresses, nextCursor };
  }

  private insert(
    organizationId: string,
    channel: string,
    address: string,
    reason: SuppressionReason,
    messageId: string | null,
  ): Promise<SuppressedAddress> {
    const row = { id: newId('sup'), channel, address, reason, messageId };
    return this.suppressions.insert(organizationId, row);
  }

  /** Returns the address in the form in which contacts store it. */
  private async normalize(
    organizationId: string,
    channel: AddressChannel,
    given: string,
  ): Promise<string> {
    const { region } = await this.rules.rulesForPhones(
      organizationId,
      channel === 'sms' ? [given] : [],
    );
    const parsed = channel === 'sms' ? parsePhone(given, region) : parseEmail(given);
    if ('fault' in parsed) throw AppError.invalidField('address', parsed.fault);
    return parsed.value;
  }
}
