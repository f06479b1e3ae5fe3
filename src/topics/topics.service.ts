import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import type { Topic } from './topic.entity.js';
import { type TopicFields, TopicsRepository } from './topics.repository.js';

const MOST_TOPICS = 100;
const NAME = /^[a-z][a-z0-9_-]{0,63}$/;

/**
 * Manages the topics of organizations. The caller of each method must have opened a transaction of the organization.
 */
@Injectable()
export class TopicsService {
  constructor(
    private readonly topics: TopicsRepository,
    private readonly tenants: TenantDatabase,
  ) {}

  /** Returns all topics in the order of their names. */
  list(organizationId: string): Promise<Topic[]> {
    return this.topics.list(organizationId, MOST_TOPICS);
  }

  /** Returns a topic. Throws `not_found`. */
  async get(organizationId: string, name: string): Promise<Topic> {
    return assertExists(await this.topics.find(organizationId, name));
  }

  /** Creates a topic. Throws `invalid_arguments`, and `conflict` when the name is taken or there are 100 topics. */
  async create(organizationId: string, fields: TopicFields): Promise<Topic> {
    if (!NAME.test(fields.name)) {
      const rule =
        'must be a letter from a to z, then at most 63 of these letters, digits, _ and -';
      throw AppError.invalidField('name', rule);
    }
    assertFits(fields);
    await this.tenants.lockOrganization(organizationId);
    if ((await this.topics.count(organizationId)) >= MOST_TOPICS) {
      throw new AppError(
        'conflict',
        `An organization has at most ${MOST_TOPICS} topics. Delete one first.`,
      );
    }
    if (!(await this.topics.insert(organizationId, fields))) {
      throw new AppError(
        'conflict',
        `There is a topic ${fields.name} already. Choose another name.`,
      );
    }
    return await this.get(organizationId, fields.name);
  }

  /** Changes the fields that are given. Throws `not_found` and `invalid_arguments`. */
  async update(
    organizationId: string,
    name: string,
    changes: Partial<Omit<TopicFields, 'name'>>,
  ): Promise<Topic> {
    // Without the lock, this call would overwrite the fields that another call changes at the same time.
    const before = assertExists(await this.topics.findForUpdate(organizationId, name));
    const fields = { ...before, ...changes };
    assertFits(fields);
    await this.topics.update(organizationId, fields);
    return await this.get(organizationId, name);
  }

  /** Deletes a topic. Its messages are no longer sent, and the decisions of contacts stay. Throws `not_found`. */
  async delete(organizationId: string, name: string): Promise<void> {
    if (!(await this.topics.delete(organizationId, name))) throw noSuchTopic();
  }
}

function assertExists(topic: Topic | null): Topic {
  if (topic) return topic;
  throw noSuchTopic();
}

function noSuchTopic(): AppError {
  return new AppError('not_found', 'There is no such topic. List topics with list_topics.');
}

function assertFits({ title, optedIn, doubleOptIn }: TopicFields): void {
  // The title must be one line, because it is in the subject of the e-mail that asks for a confirmation.
  if (title.trim() === '' || /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u.test(title)) {
    throw AppError.invalidField('title', 'must be one line without control characters');
  }
  if (optedIn && doubleOptIn) {
    const rule = 'must be false for a topic with default opted_in, because nobody subscribes to it';
    throw AppError.invalidField('double_opt_in', rule);
  }
}
