import { Injectable } from '@nestjs/common';
import { prepared } from '../database/driver/statement.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { TimePosition } from '../paging/paging.js';
import { ConsentChange } from './consent-change.entity.js';
import type { Decision, StoredSubscription } from './decision.js';
import { stateOf } from './subscription-state.js';
import type { Evidence, SubscriptionState } from './topic-subscription.entity.js';

// A repeated decision keeps its first source and time, because they are the proof. A contact that leaves the topic
// keeps its confirmation. Otherwise the contact could subscribe again, and immediately get another e-mail. A
// subscription that is pending at an earlier address gets the new confirmation.
const DECIDE = prepared(
  'topic_decide',
  `insert into topic_subscriptions as own (organization_id, contact_id, topic, state, source, evidence, confirmation_id,
     confirmation_address)
   values ($1, $2, $3, $4, $5, $6, $7, $8)
   on conflict on constraint topic_subscriptions_pkey do update
     set state = excluded.state, source = excluded.source, evidence = excluded.evidence,
       confirmation_id = case when excluded.state = 'unsubscribed' then own.confirmation_id
         else excluded.confirmation_id end,
       confirmation_address = case when excluded.state = 'unsubscribed' then own.confirmation_address
         else excluded.confirmation_address end,
       changed_at = now()
     where own.state <> excluded.state or (excluded.state = 'pending'
       and own.confirmation_address is distinct from excluded.confirmation_address)
   returning state`,
);
/**
 * Finds the state of a subscription. The statement is sent in the transaction that begins an attempt, after the message
 * is locked. So it sees every decision that was committed before the message was locked.
 */
const FIND_STATE = prepared(
  'topic_state',
  `select t.name is not null as "exists",
     ${stateOf('c.email')} as state
   from (values (1)) one
   left join topics t on t.organization_id = $1 and t.name = $3
   left join contacts c on c.organization_id = $1 and c.id = $2
   left join topic_subscriptions s on s.organization_id = $1 and s.contact_id = $2 and s.topic = $3`,
);
/** True when the e-mail with the link was sent to the address that the contact has now. */
const IS_AT_ADDRESS = `s.confirmation_address = (select c.email from contacts c
     where c.organization_id = $1 and c.id = $2)`;
const CONFIRM = `update topic_subscriptions s
   set state = 'subscribed', source = 'double_opt_in', evidence = $5, changed_at = now()
   where s.organization_id = $1 and s.contact_id = $2 and s.topic = $3 and s.confirmation_id = $4
     and s.state = 'pending' and ${IS_AT_ADDRESS}
   returning s.state`;
const FIND_RECENT_CONFIRMATION = `select s.confirmation_id as id from topic_subscriptions s
   join messages m on m.organization_id = s.organization_id and m.id = s.confirmation_id
   where s.organization_id = $1 and s.contact_id = $2 and s.topic = $3
     and m.created_at > now() - make_interval(hours => $4) and ${IS_AT_ADDRESS}`;
const IS_CONFIRMED = `select 1 from topic_subscriptions s
   where s.organization_id = $1 and s.contact_id = $2 and s.topic = $3 and s.confirmation_id = $4
     and s.state = 'subscribed' and ${IS_AT_ADDRESS}`;

/** Reads and writes decisions of contacts about topics. Every method needs a transaction of the organization. */
@Injectable()
export class TopicSubscriptionsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Stores the decision. Returns false, and writes nothing, when the contact had already made this decision. */
  async decide(organizationId: string, decision: Decision): Promise<boolean> {
    const { contactId, topic, state, source, evidence, confirmation } = decision;
    const rows = await this.tenants
      .session(organizationId)
      .query(DECIDE, [
        organizationId,
        contactId,
        topic,
        state,
        source,
        evidence && JSON.stringify(evidence),
        confirmation?.id ?? null,
        confirmation?.address ?? null,
      ]);
    return rows.length > 0;
  }

  /** Locks the contact until the transaction ends. Rows that refer to the contact can still be inserted. */
  async lock(organizationId: string, contactId: string): Promise<void> {
    await this.tenants
      .session(organizationId)
      .query('select from contacts where organization_id = $1 and id = $2 for no key update', [
        organizationId,
        contactId,
      ]);
  }

  /** Confirms a pending subscription. Returns false when the link of this message cannot confirm it. */
  async confirm(
    organizationId: string,
    contactId: string,
    topic: string,
    confirmationId: string,
    evidence: Evidence,
  ): Promise<boolean> {
    const session = this.tenants.session(organizationId);
    const ids = [organizationId, contactId, topic, confirmationId];
    const confirmed = await session.query(CONFIRM, [...ids, JSON.stringify(evidence)]);
    if (confirmed.length > 0) return true;
    return (await session.query(IS_CONFIRMED, ids)).length > 0;
  }

  /**
   * Returns the id of the message that asked for the last confirmation, if it was stored within the last `hours` hours.
   */
  async findRecentConfirmation(
    organizationId: string,
    contactId: string,
    topic: string,
    hours: number,
  ): Promise<string | undefined> {
    const session = this.tenants.session(organizationId);
    const values = [organizationId, contactId, topic, hours];
    const [found] = await session.query<{ id: string }>(FIND_RECENT_CONFIRMATION, values);
    return found?.id;
  }

  async findState(
    organizationId: string,
    contactId: string | null,
    topic: string,
  ): Promise<{ exists: boolean; state: SubscriptionState }> {
    const [found] = await this.tenants
      .session(organizationId)
      .query<{ exists: boolean; state: SubscriptionState }>(FIND_STATE, [
        organizationId,
        contactId,
        topic,
      ]);
    return found!;
  }

  /** Returns the state of each topic for a contact, in the order of the names of topics. */
  async list(organizationId: string, contactId: string): Promise<StoredSubscription[]> {
    return await this.tenants.session(organizationId).query<StoredSubscription>(
      `select t.name as topic, t.title, t.description, t.double_opt_in as "doubleOptIn", s.source,
         s.changed_at as "changedAt",
         ${stateOf('c.email')} as state,
         s.confirmation_address is distinct from c.email as "isUnasked"
       from topics t left join contacts c on c.organization_id = $1 and c.id = $2
       left join topic_subscriptions s
         on s.organization_id = $1 and s.contact_id = $2 and s.topic = t.name
       where t.organization_id = $1 order by t.name`,
      [organizationId, contactId],
    );
  }

  /** Returns at most `limit` changes of a contact that are older than `position`, newest first. */
  async listChanges(
    organizationId: string,
    contactId: string,
    position: TimePosition | undefined,
    limit: number,
  ): Promise<ConsentChange[]> {
    const query = this.tenants
      .repository(organizationId, ConsentChange)
      .createQueryBuilder('change')
      .where('change.organizationId = :organizationId', { organizationId })
      .andWhere('change.contactId = :contactId', { contactId })
      .orderBy('change.id', 'DESC')
      .limit(limit);
    if (position) query.andWhere('change.id < :id', { id: position.id });
    return await query.getMany();
  }
}
