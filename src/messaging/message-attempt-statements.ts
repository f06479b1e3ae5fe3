import { stateOf } from '../topics/subscription-state.js';
import { prepared } from '../database/driver/statement.js';
import { LEASE_SECONDS } from '../queue/leased-work.js';
import { LONGEST_BODY_BYTES, LONGEST_HTML_BYTES, LONGEST_SUBJECT } from './content-limits.js';
import { ALL_COLUMNS, HOLDER } from './message-statements.js';

// Each of these statements is for many messages of one organization, and costs the database little more than a
// statement for a single message. The rows are passed as JSON, so that the planner does not see the number of rows.
// Otherwise PostgreSQL would plan the statement again for each number.

/**
 * True for a message that has no larger texts than `send_message` stores. SQL of a tool can store larger texts.
 * Encoding such a text as an e-mail would stop the worker. PostgreSQL finds the length without reading the text.
 */
const IS_READABLE = `octet_length(m.body) <= ${LONGEST_BODY_BYTES}
  and octet_length(coalesce(m.subject, '')) <= ${4 * LONGEST_SUBJECT}
  and octet_length(coalesce(m.html, '')) <= ${LONGEST_HTML_BYTES}`;

/** A place in the limit of a provider is lost when the attempt has not begun this long after `slot_at`. */
const SLOT_SECONDS = 1;

/**
 * Returns a statement that looks up each message by its key, however many messages there are. The database decides
 * whether a place is lost, because the clock of a worker may be wrong.
 */
function lockClaimed(locked: 'skip locked' | ''): string {
  return `select m.*, coalesce(m."slotAt" > now() - make_interval(secs => ${SLOT_SECONDS}), false) as "hasSlot"
    from json_to_recordset($2) as c (id text, epoch integer)
    cross join lateral (
      select ${ALL_COLUMNS} from messages m
      where m.organization_id = $1 and m.id = c.id and m.epoch = c.epoch and ${IS_READABLE}
      for update ${locked}) m`;
}
export const LOCK_CLAIMED = prepared('messages_lock', lockClaimed(''));
export const LOCK_FREE_CLAIMED = prepared('messages_lock_free', lockClaimed('skip locked'));

/** SQL that selects the consent of another contact that has the address of the message `m`. */
const CONSENT_OF_HOLDER = `select h.consent from contacts h
  where h.organization_id = $1 and h.id <> m.contact_id and h.id in (${HOLDER}) limit 1`;
/** SQL that is true if the contact that has the address of the message `m` has left the topic of the message. */
const IS_LEFT_BY_HOLDER = `exists (select from topic_subscriptions h
  where h.organization_id = $1 and h.contact_id = (${HOLDER} limit 1) and h.topic = m.topic
    and h.state = 'unsubscribed')`;

/**
 * Returns SQL that selects the data that may prevent sending: a row for each message `m` of `rows`. `rows` returns a
 * FROM clause in which the given join follows the messages.
 */
function permissionsOf(rows: (join: string) => string): string {
  return `select m.id,
     (select s.reason from suppressed_addresses s
      where s.organization_id = $1 and s.channel = m.channel and s.address = m.recipient) as suppression,
     own.consent,
     case when m.recipient in (own.email, own.phone) then null else (${CONSENT_OF_HOLDER}) end as "consentOfHolder",
     case when m.topic is null or m.recipient in (own.email, own.phone) then false
       else ${IS_LEFT_BY_HOLDER} end as "isLeftByHolder",
     (select ${stateOf("case when m.channel = 'email' then m.recipient end")}
      from topics t left join topic_subscriptions s
        on s.organization_id = $1 and s.contact_id = m.contact_id and s.topic = m.topic
      where t.organization_id = $1 and t.name = m.topic) as subscription,
     exists (select from sending_rules r
       where r.organization_id = $1 and (r.quiet_from is not null or r.caps <> '[]')) as "isPaced"
   from ${rows(`left join lateral (
     select c.consent, c.email, c.phone from contacts c
     where c.organization_id = $1 and c.id = m.contact_id limit 1) own on true`)}`;
}
/**
 * Finds the permissions of messages that may not exist yet. Each message has its position in the list in place of an
 * id.
 */
export const FIND_PERMISSIONS = prepared(
  'messages_permissions',
  permissionsOf(
    (join) =>
      `json_to_recordset($2) as m (id integer, contact_id text, channel text, recipient text, topic text)
       ${join} order by m.id`,
  ),
);
/**
 * Finds the permissions of claimed messages. The statement is sent after the messages are locked, in the transaction
 * that begins their attempts. So it sees every decision that was committed before the messages were locked.
 */
export const FIND_PERMISSIONS_OF_CLAIMED = prepared(
  'messages_permissions_claimed',
  permissionsOf(
    (join) => `json_to_recordset($2) as c (id text, epoch integer)
    cross join lateral (
      select m.id, m.contact_id, m.channel, m.recipient, m.topic from messages m
      where m.organization_id = $1 and m.id = c.id and m.epoch = c.epoch) m ${join}`,
  ),
);

export const BEGIN_ATTEMPTS = prepared(
  'messages_begin',
  `update messages m set status = 'sending', attempts = attempts + 1, slot_at = null, updated_at = now(),
     lease_until = coalesce(lease_until, now() + make_interval(secs => ${LEASE_SECONDS})),
     status_reason = case when status = 'held' then null else status_reason end,
     reason_code = case when status = 'held' then null else reason_code end
   from json_to_recordset($2) as c (id text) where m.organization_id = $1 and m.id = c.id`,
);

/**
 * Delays a message until its place. When an earlier place was lost, the new place is kept longer, by the time that the
 * worker was late. Without this, workers that are always late would lose every place, and send nothing.
 */
export const DELAY = prepared(
  'message_delay',
  `update messages set status = 'queued', slot_at = now() + make_interval(secs => $4)
       + case when slot_at is null then interval '0' else greatest(now() - due_at, interval '0') end,
     due_at = now() + make_interval(secs => $4), lease_until = null, updated_at = now()
   where organization_id = $1 and id = $2 and epoch = $3`,
);

export const END_TOO_LARGE = prepared(
  'message_too_large',
  `update messages m set status = 'failed', status_reason = 'The text of the message is too large.', reason_code = null,
     lease_until = null, updated_at = now()
   where m.organization_id = $1 and m.id = $2 and m.epoch = $3 and not (${IS_READABLE})`,
);

function recordOutcomes(locked: 'skip locked' | ''): string {
  return `with ended as materialized (
      select o.* from json_to_recordset($2) as o (id text, epoch integer, status text, reason text, retry_seconds float8,
        code text, provider_id text, provider_message_id text)
      cross join lateral (
        select 1 from messages m
        where m.organization_id = $1 and m.id = o.id and m.epoch = o.epoch and m.status = 'sending'
        for update ${locked}) m
    )
    update messages m set status = o.status, status_reason = o.reason, lease_until = null, updated_at = now(),
      sent_at = case when o.status = 'sent' then now() else m.sent_at end,
      due_at = coalesce(now() + make_interval(secs => o.retry_seconds), m.due_at), reason_code = o.code,
      provider_id = coalesce(o.provider_id, m.provider_id),
      provider_message_id = coalesce(o.provider_message_id, m.provider_message_id)
    from ended o where m.organization_id = $1 and m.id = o.id returning m.id, m.epoch`;
}
export const RECORD_OUTCOMES = prepared('messages_outcomes', recordOutcomes(''));
export const RECORD_OUTCOMES_OF_FREE = prepared(
  'messages_outcomes_free',
  recordOutcomes('skip locked'),
);
