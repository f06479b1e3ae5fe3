import { Injectable } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import { type RestrictedTool, restrictionFault } from '../policies/key-restriction.js';
import { Resource } from '../resources/resource.decorator.js';
import { parseTime } from '../text/parse-time.js';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { MessageCancellationsService } from './message-cancellations.service.js';
import { type GivenContent, MessageContentService } from './message-content.service.js';
import { MessageDigestsService } from './message-digests.service.js';
import { messageFilter } from './message-filter.js';
import { assertNoTexts } from './message-templates.service.js';
import {
  ListMessagesInput,
  MessageFilterInput,
  MessageIdInput,
  SendMessageInput,
} from './message.inputs.js';
import {
  MessageCountsResult,
  MessageEnvelopeResult,
  MessageEventView,
  MessageEventsResult,
  MessagePage,
  MessageResult,
  MessageView,
  SentMessageResult,
} from './message.results.js';
import { MessagesService } from './messages.service.js';

const READS_CONTACTS: RestrictedTool = { names: ['get_contact'], readOnly: true };
const MOST_AHEAD_MS = 366 * 24 * 60 * 60 * 1000;

@Injectable()
export class MessageTools {
  constructor(
    private readonly messages: MessagesService,
    private readonly cancellations: MessageCancellationsService,
    private readonly digests: MessageDigestsService,
    private readonly contents: MessageContentService,
  ) {}

  @Tool({
    name: 'send_message',
    title: 'Send a message',
    description:
      'Sends a message to an existing contact (create_contact), now or at scheduled_at. Returns it as soon as it is ' +
      'accepted; it is delivered within seconds: get_message shows its status.',
    output: SentMessageResult,
  })
  async send(input: SendMessageInput, call: ToolCall): Promise<SentMessageResult> {
    if (input.template_id !== undefined) {
      assertNoTexts({ subject: input.subject, body: input.body, html: input.html });
    }
    const request = {
      to: { contact_id: input.contact_id, email: input.email, phone: input.phone },
      channel: input.channel,
      subject: input.subject,
      body: input.body,
      html: input.html,
      template: input.template_id === undefined ? undefined : { from: input.template_id },
      from: input.from,
      replyTo: input.reply_to,
      inReplyTo: input.in_reply_to,
      attachments: input.attachments,
      topic: input.topic,
      onUncertain: input.on_uncertain,
      variables: input.variables,
      scheduledAt: parseSchedule(input.scheduled_at),
      idempotencyKey: input.idempotency_key,
      runId: call.runId,
    };
    await this.assertMayRead(request, input, call);
    if (input.digest) {
      const added = await this.digests.add(call.organizationId, request, input.digest);
      return { message: MessageView.of(added.message), digest_count: added.count };
    }
    const message = await this.messages.send(call.organizationId, request);
    return { message: MessageView.of(message) };
  }

  /** Throws `invalid_arguments` when the key may not read contacts, and its own content reads the contact. */
  private async assertMayRead(
    content: GivenContent,
    { variables, digest }: SendMessageInput,
    { organizationId, restriction }: ToolCall,
  ): Promise<void> {
    const isLiteral = variables === undefined && digest === undefined;
    if (isLiteral || !restriction || restrictionFault(restriction, READS_CONTACTS) === undefined) {
      return;
    }
    await this.contents.assertReadsNoContact(organizationId, content);
  }

  @Tool({
    name: 'get_message',
    title: 'Get a message',
    description: 'Returns one message with its status, and why it was not sent.',
    output: MessageResult,
    readOnly: true,
  })
  @Resource({
    uri: 'switchboard://messages/{message_id}',
    name: 'message',
    title: 'Message',
    description: 'One message with its status, as get_message returns it.',
  })
  async get(input: MessageIdInput, call: ToolCall): Promise<MessageResult> {
    return {
      message: MessageView.of(await this.messages.get(call.organizationId, input.message_id)),
    };
  }

  @Tool({
    name: 'list_messages',
    title: 'List messages',
    description: 'Lists messages, sent and received, newest first, in pages.',
    output: MessagePage,
    readOnly: true,
  })
  @Resource({
    uri: 'switchboard://messages',
    name: 'messages',
    title: 'Newest messages',
    description: 'The 20 newest messages, as list_messages returns them.',
  })
  async list(input: ListMessagesInput, call: ToolCall): Promise<MessagePage> {
    const { messages, nextCursor } = await this.messages.list(
      call.organizationId,
      messageFilter(input),
      { limit: input.limit, cursor: input.cursor },
    );
    return {
      messages: messages.map((message) => MessageView.of(message)),
      next_cursor: nextCursor,
    };
  }

  @Tool({
    name: 'count_messages',
    title: 'Count messages',
    description: 'Counts the newest 10,000 messages that match, by status.',
    output: MessageCountsResult,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  count(input: MessageFilterInput, call: ToolCall): Promise<MessageCountsResult> {
    return this.messages.count(call.organizationId, messageFilter(input));
  }

  @Tool({
    name: 'list_message_events',
    title: 'List what happened to a message',
    description:
      'Lists every status that a message had, oldest first, with its time and reason. Older versions of Switchboard ' +
      'did not store these statuses, so the list of an old message can be incomplete.',
    output: MessageEventsResult,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  async listEvents(input: MessageIdInput, call: ToolCall): Promise<MessageEventsResult> {
    const events = await this.messages.listEvents(call.organizationId, input.message_id);
    return { events: events.map((event) => MessageEventView.of(event)) };
  }

  @Tool({
    name: 'get_message_envelope',
    title: 'Get the envelope of a message',
    description: 'Returns the sender, the address for answers and the attachments of an e-mail.',
    output: MessageEnvelopeResult,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  async getEnvelope(input: MessageIdInput, call: ToolCall): Promise<MessageEnvelopeResult> {
    const message = await this.messages.get(call.organizationId, input.message_id);
    return MessageEnvelopeResult.of(message);
  }

  @Tool({
    name: 'cancel_message',
    title: 'Cancel a message',
    description:
      'Cancels a message that is scheduled, queued or held. Fails with conflict if it is being sent, was sent or ' +
      'has failed.',
    output: MessageResult,
    destructive: true,
    idempotent: true,
  })
  async cancel(input: MessageIdInput, call: ToolCall): Promise<MessageResult> {
    const { organizationId, surface } = call;
    const message = await this.cancellations.cancel(organizationId, input.message_id, surface);
    return { message: MessageView.of(message) };
  }
}

function parseSchedule(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = parseTime(text);
  if (!time) {
    const message = 'must be an RFC 3339 time, such as 2030-01-31T09:00:00Z';
    throw AppError.invalidField('scheduled_at', message);
  }
  if (time.getTime() <= Date.now() + MOST_AHEAD_MS) return time;
  throw AppError.invalidField('scheduled_at', 'must be at most one year ahead');
}
