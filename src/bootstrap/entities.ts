import type { EntityTarget, ObjectLiteral } from 'typeorm';
import { AuditLogEntry } from '../accounts/audit-log-entry.entity.js';
import { CallLogRow } from '../audit/call-log-row.entity.js';
import { ChannelProvider } from '../channels/channel-provider.entity.js';
import { ContactAlias } from '../contacts/contact-alias.entity.js';
import { ContactMerge } from '../contacts/contact-merge.entity.js';
import { ContactProperty } from '../contacts/contact-property.entity.js';
import { ContactSettings } from '../contacts/contact-settings.entity.js';
import { Contact } from '../contacts/contact.entity.js';
import { ApiKey } from '../keys/api-key.entity.js';
import { CustomEvent } from '../custom-events/custom-event.entity.js';
import { FileChunk, StoredFile } from '../files/file.entity.js';
import { ImportChunk, ImportFault, ImportKey } from '../imports/import-part.entity.js';
import { ContactImport } from '../imports/import.entity.js';
import { MessageEvent } from '../messaging/message-event.entity.js';
import { Message } from '../messaging/message.entity.js';
import { SuppressedAddress } from '../messaging/suppressed-address.entity.js';
import { MessageDigest } from '../pacing/message-digest.entity.js';
import { SendingRules } from '../pacing/sending-rules.entity.js';
import { ToolPolicyRow } from '../policies/tool-policy-row.entity.js';
import { RetentionRule } from '../retention/retention-rule.entity.js';
import { SecretRow } from '../secrets/secret.entity.js';
import { Segment } from '../segments/segment.entity.js';
import {
  SegmentChange,
  SegmentEvaluation,
  SegmentMember,
} from '../segments/segment-member.entity.js';
import { SenderDomain, SenderKey } from '../senders/sender-domain.entity.js';
import { Snippet } from '../templates/snippet.entity.js';
import { TemplateVersion } from '../templates/template-version.entity.js';
import { Template } from '../templates/template.entity.js';
import { ConsentChange } from '../topics/consent-change.entity.js';
import { TopicSubscription } from '../topics/topic-subscription.entity.js';
import { Topic } from '../topics/topic.entity.js';
import { Confirmation } from '../tools/confirmations/confirmation.entity.js';
import { IdempotencyKey } from '../tools/idempotency/idempotency-key.entity.js';
import { ParkedRun, Run, RunStep } from '../workflows/journal/run.entity.js';
import { EventInterest, WorkflowVersion } from '../workflows/store/workflow-version.entity.js';
import { Workflow, OfferedWorkflow } from '../workflows/store/workflow.entity.js';
import { WorkflowSchedule } from '../workflows/triggers/workflow-schedule.entity.js';
import { PendingEvent, RunWait } from '../workflows/waits/run-wait.entity.js';
import { WebhookDelivery } from '../workflows/webhooks/webhook-delivery.entity.js';

/** All entities by name, because no glob pattern would match in both the build and the test runner. */
export const ENTITIES: EntityTarget<ObjectLiteral>[] = [
  AuditLogEntry,
  CallLogRow,
  ApiKey,
  IdempotencyKey,
  Confirmation,
  SecretRow,
  SenderDomain,
  SenderKey,
  ChannelProvider,
  StoredFile,
  FileChunk,
  Contact,
  ContactAlias,
  ContactMerge,
  ContactProperty,
  ContactSettings,
  ContactImport,
  ImportChunk,
  ImportKey,
  ImportFault,
  Segment,
  SegmentMember,
  SegmentChange,
  SegmentEvaluation,
  Template,
  TemplateVersion,
  Snippet,
  Message,
  SuppressedAddress,
  SendingRules,
  MessageDigest,
  Topic,
  TopicSubscription,
  ConsentChange,
  CustomEvent,
  MessageEvent,
  Workflow,
  WorkflowVersion,
  WorkflowSchedule,
  OfferedWorkflow,
  Run,
  RunStep,
  ParkedRun,
  RunWait,
  EventInterest,
  PendingEvent,
  WebhookDelivery,
  ToolPolicyRow,
  RetentionRule,
];
