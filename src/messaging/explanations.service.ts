import { Injectable } from '@nestjs/common';
import { HandoversService } from '../channels/handovers.service.js';
import type { Contact } from '../contacts/contact.entity.js';
import { type ContactKey, ContactsService } from '../contacts/contacts.service.js';
import { AppError } from '../errors/app-error.js';
import { PaceService } from '../pacing/pace.service.js';
import { TopicsService } from '../topics/topics.service.js';
import type { ExplanationResult, SendCheckView, SendOutcome } from './explanation.results.js';
import type { PermittedMessage } from './message-attempts.repository.js';
import { MessagePermissionService, type PermissionVerdict } from './message-permission.service.js';
import { MessageEventView } from './message.results.js';
import type { Message, MessageStatus } from './message.entity.js';
import { MessagesService } from './messages.service.js';

/** Maps each status in which workers begin no attempt any more to the outcome of the message. */
const ENDED: Partial<Record<MessageStatus, SendOutcome>> = {
  sending: 'unknown',
  uncertain: 'unknown',
  sent: 'sent',
  delivered: 'sent',
  failed: 'not_sent',
  canceled: 'not_sent',
  suppressed: 'not_sent',
};
const PASSED = { passed: true, reason: null, until: null };

/** The message to which the rules are applied. A message that does not exist yet has no id. */
type Recipient = PermittedMessage & { id: string | null };

/**
 * Explains whether messages are sent, with the checks that senders and workers make. The caller must have opened a
 * transaction of the organization.
 */
@Injectable()
export class ExplanationsService {
  constructor(
    private readonly messages: MessagesService,
    private readonly contacts: ContactsService,
    private readonly handovers: HandoversService,
    private readonly permission: MessagePermissionService,
    private readonly pace: PaceService,
    private readonly topics: TopicsService,
  ) {}

  /**
   * Returns whether a message would be sent, held or refused now, with the result of each rule. A message without a
   * topic is transactional. Throws `invalid_arguments` for an unknown channel.
   */
  async explain(
    organizationId: string,
    to: ContactKey,
    channel: string,
    topic: string | undefined,
  ): Promise<ExplanationResult> {
    this.handovers.assertChannel(channel);
    const checks: SendCheckView[] = [];
    const contact = await refusal(checks, 'contact', ['not_found'], () =>
      this.contacts.getBy(organizationId, to),
    );
    const recipient = contact && (await this.findAddress(organizationId, channel, contact, checks));
    if (contact && recipient !== undefined) {
      await this.checkNew(
        {
          id: null,
          organizationId,
          contactId: contact.id,
          channel,
          recipient,
          topic: topic ?? null,
        },
        checks,
      );
    }
    return { ...conclude(checks), checks, events: [] };
  }

  /**
   * Explains why a message was sent, was not sent, or still waits. Throws `not_found`, and `conflict` for a received
   * message.
   */
  async explainMessage(organizationId: string, id: string): Promise<ExplanationResult> {
    const message = await this.messages.get(organizationId, id);
    if (message.status === 'received') {
      throw new AppError(
        'conflict',
        'This message was received. Only messages to contacts are sent.',
      );
    }
    const rows = await this.messages.listEvents(organizationId, id);
    const events = rows.map((row) => MessageEventView.of(row));
    // A message that bounced has the status `failed`, but it was sent.
    const ended = message.sentAt === null ? ENDED[message.status] : 'sent';
    if (ended) {
      return { outcome: ended, reason: message.statusReason, until: null, checks: [], events };
    }
    const checks: SendCheckView[] = [];
    const isWaiting = message.dueAt.getTime() > Date.now();
    const rule = ruleOfWait(message);
    if (isWaiting && rule) {
      const until = message.dueAt.toISOString();
      checks.push({ rule, passed: false, reason: message.statusReason, until });
    }
    await this.checkRules(message, checks);
    return { ...conclude(checks), checks, events };
  }

  /**
   * Adds the check of the address and then the check of the provider. Returns the address if the contact has a valid
   * address and the channel has the provider that it needs.
   */
  private async findAddress(
    organizationId: string,
    channel: string,
    contact: Contact,
    checks: SendCheckView[],
  ): Promise<string | undefined> {
    const providers: SendCheckView[] = [];
    const address = await refusal(checks, 'address', ['invalid_arguments'], async () => {
      const found = await refusal(providers, 'provider', ['conflict'], () =>
        this.handovers.addressOf(organizationId, channel, contact),
      );
      return { found };
    });
    checks.push(...providers);
    return address?.found;
  }

  /**
   * Adds the results of the rules of `send_message`, and then the results of the rules of a worker, up to the first
   * rule that refuses the message.
   */
  private async checkNew(message: Recipient, checks: SendCheckView[]): Promise<void> {
    const { organizationId, topic } = message;
    const [verdicts] = await this.permission.check(organizationId, [message]);
    // The contact exists at this point. `send_message` checks consent before all other rules.
    const consent = verdicts!.filter(({ rule }) => rule === 'consent');
    if (addVerdicts(consent, checks)) return;
    if (topic !== null && !(await this.isTopic(organizationId, topic, checks))) return;
    if (await this.pace.lacksQuota(organizationId)) {
      const reason = 'The quota of messages for today, or that of storage, is used up.';
      checks.push({ rule: 'quota', passed: false, reason, until: null });
      return;
    }
    checks.push({ rule: 'quota', ...PASSED });
    const others = verdicts!.filter(({ rule }) => rule !== 'consent' && rule !== 'contact');
    if (!addVerdicts(others, checks)) await this.addPace(message, checks);
  }

  /** Returns true when the topic exists. Otherwise adds the refusal of `send_message`. */
  private async isTopic(
    organizationId: string,
    topic: string,
    checks: SendCheckView[],
  ): Promise<boolean> {
    const results: SendCheckView[] = [];
    await refusal(results, 'topic', ['not_found'], () => this.topics.get(organizationId, topic));
    const refused = results.filter(({ passed }) => !passed);
    checks.push(...refused);
    return refused.length === 0;
  }

  /**
   * Adds the results of the rules that a worker checks before an attempt, up to the first rule that refuses the
   * message.
   */
  private async checkRules(message: Recipient, checks: SendCheckView[]): Promise<void> {
    const [verdicts] = await this.permission.check(message.organizationId, [message]);
    if (!addVerdicts(verdicts!, checks)) await this.addPace(message, checks);
  }

  /**
   * Adds the results of quiet hours and caps. A cap that drops the message decides before all rules that would hold it.
   */
  private async addPace(
    { id, organizationId, contactId, channel, topic }: Recipient,
    checks: SendCheckView[],
  ): Promise<void> {
    const paced = { id, contactId: contactId!, channel, topic };
    const rules = await this.pace.check(organizationId, paced);
    const dropping = rules.find(({ pause }) => pause?.until === null);
    const reached = dropping ? [...rules.filter(({ pause }) => !pause), dropping] : rules;
    for (const { code, cap, pause } of reached) {
      checks.push({
        rule: code,
        passed: pause === undefined,
        reason: pause?.reason ?? cap,
        until: pause?.until?.toISOString() ?? null,
      });
    }
  }
}

/**
 * Adds the verdicts up to the first verdict that refuses the message. Returns true when a verdict refuses the message.
 */
function addVerdicts(verdicts: readonly PermissionVerdict[], checks: SendCheckView[]): boolean {
  for (const { rule, outcome } of verdicts) {
    checks.push({ rule, passed: !outcome, reason: outcome?.reason ?? null, until: null });
    if (outcome) return true;
  }
  return false;
}

/** Runs a check. When it throws an error with one of the codes, adds the error to the list and returns undefined. */
async function refusal<T>(
  checks: SendCheckView[],
  rule: SendCheckView['rule'],
  codes: readonly string[],
  check: () => Promise<T>,
): Promise<T | undefined> {
  try {
    const result = await check();
    if (result !== undefined) checks.push({ rule, ...PASSED });
    return result;
  } catch (error) {
    if (!(error instanceof AppError) || !codes.includes(error.code)) throw error;
    checks.push({ rule, passed: false, reason: error.message, until: null });
    return undefined;
  }
}

/** Returns the rule that makes a message wait. Quiet hours and caps are left out, because they are checked again. */
function ruleOfWait({ status, reasonCode }: Message): SendCheckView['rule'] | undefined {
  if (status === 'scheduled') return 'schedule';
  if (status === 'queued') return 'retry';
  return reasonCode === 'digest' ? 'digest' : undefined;
}

function conclude(
  checks: readonly SendCheckView[],
): Pick<ExplanationResult, 'outcome' | 'reason' | 'until'> {
  const failed = checks.filter(({ passed }) => !passed);
  const refused = failed.find(({ until }) => until === null);
  if (refused) return { outcome: 'refuse', reason: refused.reason, until: null };
  const [last] = failed.toSorted((a, b) => Date.parse(b.until!) - Date.parse(a.until!));
  if (last) return { outcome: 'hold', reason: last.reason, until: last.until };
  return { outcome: 'send', reason: null, until: null };
}
