import { keptContact } from '../contacts/contact-statements.js';
import { arrayOfUnknownSize, prepared, preparedRows } from '../database/driver/statement.js';

/**
 * Inserts messages. In each row, the values are in the order of the columns, except that `created_at` follows
 * `scheduled_at`.
 */
export const INSERT = preparedRows(
  'message_insert',
  `insert into messages (organization_id, id, contact_id, channel, direction, recipient, subject, body, status,
    idempotency_key, run_id, scheduled_at, due_at, created_at, updated_at, on_uncertain, html, envelope,
    template_id, template_version, locale, status_reason, reason_code, topic, epoch)
   select $1, m.id, ${keptContact('m.contact_id')}, m.channel, m.direction, m.recipient, m.subject, m.body, m.status,
     m.idempotency_key, m.run_id, m.scheduled_at, coalesce(m.scheduled_at, now()), m.created_at, m.created_at,
     m.on_uncertain, m.html, m.envelope, m.template_id, m.template_version, m.locale, m.status_reason, m.reason_code,
     m.topic, m.epoch
   from unnest(${arrayOfUnknownSize('$2::text[]')}, $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
       $9::text[], $10::text[], $11::text[], $12::timestamptz[], $13::timestamptz[], $14::text[], $15::text[],
       $16::json[], $17::text[], $18::integer[], $19::text[], $20::text[], $21::text[], $22::text[], $23::integer[])
     as m (id, contact_id, channel, direction, recipient, subject, body, status, idempotency_key, run_id, scheduled_at,
       created_at, on_uncertain, html, envelope, template_id, template_version, locale, status_reason, reason_code, topic,
       epoch)`,
);
/** The columns, named as the properties of {@link Message}, so that a row is a message. */
const COLUMNS = `organization_id as "organizationId", id, contact_id as "contactId", channel, direction, recipient,
  subject, body, has_html as "hasHtml", topic, status, status_reason as "statusReason", reason_code as "reasonCode",
  idempotency_key as "idempotencyKey", external_id as "externalId", provider_id as "providerId",
  provider_message_id as "providerMessageId", on_uncertain as "onUncertain", run_id as "runId",
  template_id as "templateId", template_version as "templateVersion", locale, attempts, epoch,
  scheduled_at as "scheduledAt", due_at as "dueAt", slot_at as "slotAt", held_by as "heldBy", counted_at as "countedAt",
  lease_until as "leaseUntil", sent_at as "sentAt", created_at as "createdAt", updated_at as "updatedAt"`;
/** All columns of a message. Lists of messages leave out the last two columns, whose values may be large. */
export const ALL_COLUMNS = `${COLUMNS}, html, envelope`;
export const FIND = prepared(
  'message',
  `select ${ALL_COLUMNS} from messages where organization_id = $1 and id = $2`,
);
export const FIND_FOR_UPDATE = prepared('message_for_update', `${FIND.text} for update`);
/**
 * SQL that selects the id of the contact that has the address of the message `m`. After the message was stored, its
 * contact may have got another address, and another contact may have got the address of the message.
 */
export const HOLDER = `select c.id from contacts c where c.organization_id = $1 and c.email = m.recipient
    union all select c.id from contacts c where c.organization_id = $1 and c.phone = m.recipient
    union all select a.contact_id from contact_aliases a
      where a.organization_id = $1 and a.kind in ('email', 'phone') and a.value = m.recipient`;
export const FIND_HOLDER = `select holder.id from messages m cross join lateral (${HOLDER} limit 1) holder
   where m.organization_id = $1 and m.id = $2`;
export const REQUEUE = `update messages set status = 'queued', status_reason = null, reason_code = null, slot_at = null,
     due_at = now(), lease_until = null, attempts = least(attempts, $3), updated_at = now()
   where organization_id = $1 and id = $2`;
