import { Injectable, Logger } from '@nestjs/common';
import { ContactRulesService } from '../contacts/contact-rules.service.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { parsePhone } from '../contacts/parse-field.js';
import { smsKeywordOf } from '../contacts/sms-keyword.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import { ChannelConsentService } from '../topics/channel-consent.service.js';
import { HelpRepliesRepository } from './help-replies.repository.js';
import type { Message } from './message.entity.js';
import { MessagesService } from './messages.service.js';

/** A contact that asks for help again within this time gets no second answer. Somebody pays for each answer. */
const SECONDS_BETWEEN_HELP = 3600;

/** Identifies the sender of a received message, as the provider reported it. Exactly one member has a value. */
export interface ReportedSender {
  readonly contact_id?: string | undefined;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
}

/** Carries out the keywords of text messages: STOP, START and HELP. */
@Injectable()
export class InboundKeywordsService {
  private readonly logger = new Logger(InboundKeywordsService.name);

  constructor(
    private readonly consent: ChannelConsentService,
    private readonly rules: ContactRulesService,
    private readonly messages: MessagesService,
    private readonly helpReplies: HelpRepliesRepository,
    private readonly tenants: TenantDatabase,
    private readonly contacts: ContactsService,
  ) {}

  /**
   * Carries out the keyword of a message that was just recorded. STOP counts from every number of the contact. START
   * and HELP count only from its current number. The caller must be in the transaction that records the message.
   */
  async apply(
    { organizationId, id, channel, contactId, body }: Message,
    sender: ReportedSender,
  ): Promise<void> {
    const keyword = channel === 'sms' && contactId !== null ? smsKeywordOf(body) : undefined;
    if (!keyword || contactId === null) return;
    // After a merge, the former number may belong to another person, who must not decide for this contact.
    if (keyword !== 'stop' && !(await this.isCurrent(organizationId, contactId, sender))) return;
    if (keyword === 'help') return await this.sendHelp(organizationId, contactId);
    const status = keyword === 'stop' ? 'denied' : 'granted';
    const origin = { source: `sms_${keyword}`, evidence: { text: body, message_id: id } };
    await this.consent.decide(organizationId, contactId, 'sms', status, origin);
  }

  /**
   * Returns false for an earlier number of the contact, for the id of a contact that was merged into it, and for an
   * e-mail address, which says nothing about a number.
   */
  private async isCurrent(
    organizationId: string,
    contactId: string,
    { contact_id: given, phone }: ReportedSender,
  ): Promise<boolean> {
    const contact = await this.contacts.get(organizationId, contactId);
    if (given !== undefined) return given === contact.id;
    if (phone === undefined) return false;
    const { region } = await this.rules.rulesForPhones(organizationId, [phone]);
    const parsed = parsePhone(phone, region);
    return 'value' in parsed && parsed.value === contact.phone;
  }

  /**
   * Answers HELP with the text of the organization. Sends nothing when the organization has no such text, or when the
   * contact got this text in the last hour. When the answer fails, the received message is still recorded.
   */
  private async sendHelp(organizationId: string, contactId: string): Promise<void> {
    const { smsHelp } = await this.rules.find(organizationId);
    if (smsHelp === null) return;
    // Without this check, a program that repeats HELP, or that answers each answer with HELP, causes messages without end.
    const reply = { contactId, body: smsHelp, seconds: SECONDS_BETWEEN_HELP };
    if (await this.helpReplies.isRecent(organizationId, reply)) return;
    try {
      await this.tenants.savepoint(organizationId, async () => {
        const to = { contact_id: contactId };
        await this.messages.send(organizationId, { to, channel: 'sms', body: smsHelp });
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.logger.warn(`A text message with the word HELP was not answered: ${error.code}.`);
    }
  }
}
