import { Injectable } from '@nestjs/common';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import {
  ContactTopicsInput,
  CreateTopicInput,
  ListConsentChangesInput,
  ListTopicsInput,
  TopicNameInput,
  UpdateTopicInput,
} from './topic.inputs.js';
import {
  ConsentChangePage,
  ConsentChangeView,
  DeletedTopic,
  SubscriptionList,
  SubscriptionView,
  TopicList,
  TopicResult,
  TopicView,
} from './topic.results.js';
import { TopicSubscriptionsService } from './topic-subscriptions.service.js';
import { TopicsService } from './topics.service.js';

/** Provides the tools for topics of messages and for the subscriptions of contacts. */
@Injectable()
export class TopicTools {
  constructor(
    private readonly topics: TopicsService,
    private readonly subscriptions: TopicSubscriptionsService,
  ) {}

  @Tool({
    name: 'create_topic',
    title: 'Create a topic',
    description:
      'Creates a topic of messages, which contacts can leave. Messages with a topic are sent only to contacts that get ' +
      'it. Messages without one are transactional, such as a receipt.',
    output: TopicResult,
    surfaces: ['workflow', 'dashboard'],
  })
  async create(input: CreateTopicInput, call: ToolCall): Promise<TopicResult> {
    const topic = await this.topics.create(call.organizationId, {
      name: input.name,
      title: input.title,
      description: input.description ?? null,
      optedIn: input.default === 'opted_in',
      doubleOptIn: input.double_opt_in,
    });
    return { topic: TopicView.of(topic) };
  }

  @Tool({
    name: 'update_topic',
    title: 'Change a topic',
    description:
      'Changes a topic. Absent fields stay unchanged. Contacts that have decided about it keep their decisions.',
    output: TopicResult,
    idempotent: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async update(input: UpdateTopicInput, call: ToolCall): Promise<TopicResult> {
    const { title, description, double_opt_in: doubleOptIn } = input;
    const topic = await this.topics.update(call.organizationId, input.name, {
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(input.default !== undefined && { optedIn: input.default === 'opted_in' }),
      ...(doubleOptIn !== undefined && { doubleOptIn }),
    });
    return { topic: TopicView.of(topic) };
  }

  @Tool({
    name: 'list_topics',
    title: 'List topics',
    description: 'Returns all topics of messages, at most 100, in the order of their names.',
    output: TopicList,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async list(_input: ListTopicsInput, call: ToolCall): Promise<TopicList> {
    const topics = await this.topics.list(call.organizationId);
    return { topics: topics.map((topic) => TopicView.of(topic)) };
  }

  @Tool({
    name: 'delete_topic',
    title: 'Delete a topic',
    description:
      'Deletes a topic. Its messages that wait are not sent. Decisions of contacts stay, and apply to a later ' +
      'topic with the same name.',
    output: DeletedTopic,
    destructive: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async delete({ name }: TopicNameInput, call: ToolCall): Promise<DeletedTopic> {
    await this.topics.delete(call.organizationId, name);
    return { deleted: name };
  }

  @Tool({
    name: 'list_topic_subscriptions',
    title: 'List the topics of a contact',
    description: 'Returns for each topic whether a contact gets its messages, and who decided it.',
    output: SubscriptionList,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async listSubscriptions(input: ContactTopicsInput, call: ToolCall): Promise<SubscriptionList> {
    const rows = await this.subscriptions.list(call.organizationId, input.contact_id);
    return { subscriptions: rows.map((row) => SubscriptionView.of(row)) };
  }

  @Tool({
    name: 'list_consent_changes',
    title: 'List changes of consent',
    description:
      'Lists each change of the consent and subscriptions of a contact, with its origin and evidence, newest first, ' +
      'in pages. Nobody can change or delete an entry. The log is deleted together with the contact.',
    output: ConsentChangePage,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async listChanges(input: ListConsentChangesInput, call: ToolCall): Promise<ConsentChangePage> {
    const { limit, cursor } = input;
    const { changes, nextCursor } = await this.subscriptions.listChanges(
      call.organizationId,
      input.contact_id,
      { limit, cursor },
    );
    return {
      changes: changes.map((change) => ConsentChangeView.of(change)),
      next_cursor: nextCursor,
    };
  }
}
