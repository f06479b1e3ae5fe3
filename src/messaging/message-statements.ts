import { keptContact } from '../contacts/contact-statements.js';
import { prepared } from '../database/driver/statement.js';

export const INSERT = prepared(
  'message_insert',
  `insert into messages (organization_id, id, contact_id, channel, direction, recipient, subject, body, status,
    idempotency_key, run_id, scheduled_at, due_at, created_at, updated_at, on_uncertain, html, envelope,
    template_id, template_version, locale, status_reason, reason_code, topic, epoch)
    values ($1, $2, ${keptContact('$3')}, $4, $5, $6, $7, $8, $9, $10, $11, $12, coalesce($12, now()), $13, $13, $14, $15, $16,
      $17, $18, $19, $20, $21, $22, $23)`,
);
/** Names the columns as the properties of {@link Message}, so that a row is a message. */
const COLUMNS = `organization_id as "organizationId", id, contact_id as "contactId", channel, direction, recipient,
  subject, body, has_html as "hasHtml", topic, status, status_reason as "statusReason", reason_code as "reasonCode",
  idempotency_key as "idempotencyKey", external_id as "externalId", provider_id as "providerId",
  provider_message_id as "providerMessageId", on_uncertain as "onUncertain", run_id as "runId",
  template_id as "templateId", template_version as "templateVersion", locale, attempts, epoch,
  scheduled_at as "scheduledAt", due_at as "dueAt", slot_at as "slotAt", held_by as "heldBy", counted_at as "countedAt",
  lease_until as "leaseUntil", sent_at as "sentAt", created_at as "createdAt", updated_at as "updatedAt"`;
/** Also has what only a single message needs. */
export const ALL_COLUMNS = `${COLUMNS}, html, envelope`;
export const FIND = prepared(
  'message',
  `select ${ALL_COLUMNS} from messages where organization_id = $1 and id = $2`,
);
export const FIND_FOR_UPDATE = prepared('message_for_update', `${FIND.text} for update`);
export const REQUEUE = `update messages set status = 'queued', status_reason = null, reason_code = null, slot_at = null,
     due_at = now(), lease_until = null, attempts = least(attempts, $3), updated_at = now()
   where organization_id = $1 and id = $2`;
