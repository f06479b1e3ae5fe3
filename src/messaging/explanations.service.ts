import { Injectable } from '@nestjs/common';
import { HandoversService } from '../channels/handovers.service.js';
import { type ContactKey, ContactsService } from '../contacts/contacts.service.js';
import { AppError } from '../errors/app-error.js';
import { PaceService } from '../pacing/pace.service.js';
import { TopicsService } from '../topics/topics.service.js';
import type { ExplanationResult, SendCheckView, SendOutcome } from './explanation.results.js';
import type { PermittedMessage } from './message-attempts.repository.js';
import { MessagePermissionService } from './message-permission.service.js';
import { MessageEventView } from './message.results.js';
import type { Message, MessageStatus } from './message.entity.js';
import { MessagesService } from './messages.service.js';

/** Has what happened to messages that workers will not begin to send any more. */
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

/** Is the message that the rules are asked about. One that does not exist yet has no id. */
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
   * Says what would happen to a message that is sent now. A message without a topic is transactional. Throws
   * `invalid_arguments` for an unknown channel.
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
    const recipient =
      contact &&
      (await refusal(checks, 'address', ['invalid_arguments'], () =>
        refusal(checks, 'provider', ['conflict'], () =>
          this.handovers.addressOf(organizationId, channel, contact),
        ),
      ));
    if (topic !== undefined) {
      await refusal(checks, 'topic', ['not_found'], async () => {
        await this.topics.get(organizationId, topic);
      });
    }
    if (contact && recipient !== undefined && !isRefused(checks)) {
      const message = {
        id: null,
        organizationId,
        contactId: contact.id,
        channel,
        recipient,
        topic: topic ?? null,
      };
      await this.checkRules(message, checks);
      if (await this.pace.lacksQuota(organizationId)) {
        const reason =
          'The organization has used up its quota of messages of today, or of storage.';
        checks.push({ rule: 'quota', passed: false, reason, until: null });
      } else {
        checks.push({ rule: 'quota', ...PASSED });
      }
    }
    return { ...conclude(checks), checks, events: [] };
  }

  /** Says why a message was sent or not, or what keeps it. Throws `not_found`, and `conflict` for a received message. */
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
    const ended = ENDED[message.status];
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

  /** Adds the result of each rule that a worker checks before an attempt. */
  private async checkRules(message: Recipient, checks: SendCheckView[]): Promise<void> {
    const { id, organizationId, contactId, channel, topic } = message;
    const [verdicts] = await this.permission.check(organizationId, [message]);
    for (const { rule, outcome } of verdicts!) {
      if (rule === 'contact' && !outcome && id === null) continue;
      const reason = outcome?.reason ?? null;
      checks.push({ rule, passed: outcome === undefined, reason, until: null });
      if (outcome) return;
    }
    const paced = { id, contactId: contactId!, channel, topic };
    for (const { code, cap, pause } of await this.pace.check(organizationId, paced)) {
      checks.push({
        rule: code,
        passed: pause === undefined,
        reason: pause?.reason ?? cap,
        until: pause?.until?.toISOString() ?? null,
      });
    }
  }
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

/** Returns the rule that makes a message wait besides quiet hours and caps, which are checked again. */
function ruleOfWait({ status, reasonCode }: Message): SendCheckView['rule'] | undefined {
  if (status === 'scheduled') return 'schedule';
  if (status === 'queued') return 'retry';
  return reasonCode === 'digest' ? 'digest' : undefined;
}

function isRefused(checks: readonly SendCheckView[]): boolean {
  return checks.some(({ passed, until }) => !passed && until === null);
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
