import type { EntityTarget, ObjectLiteral } from 'typeorm';
import { AuditLogEntry } from '../accounts/audit-log.entity.js';
import { Contact } from '../contacts/contact.entity.js';
import { ApiKey } from '../keys/api-key.entity.js';
import { Message } from '../messaging/message.entity.js';
import { ToolPolicyRow } from '../policies/tool-policy.entity.js';
import { RetentionRule } from '../retention/retention-rule.entity.js';
import { IdempotencyKey } from '../tools/idempotency/idempotency-key.entity.js';
import { ParkedRun } from '../workflows/engine/parked-run.entity.js';
import { EventInterest } from '../workflows/waits/event-interest.entity.js';
import { PendingEvent } from '../workflows/waits/pending-event.entity.js';
import { RunStep } from '../workflows/journal/run-step.entity.js';
import { RunWait } from '../workflows/waits/run-wait.entity.js';
import { Run } from '../workflows/journal/run.entity.js';
import { WorkflowSchedule } from '../workflows/triggers/workflow-schedule.entity.js';
import { WebhookDelivery } from '../workflows/webhooks/webhook-delivery.entity.js';
import { WorkflowTool } from '../workflows/store/offered-workflow.entity.js';
import { WorkflowVersion } from '../workflows/store/workflow-version.entity.js';
import { Workflow } from '../workflows/store/workflow.entity.js';

/** Every entity, listed: globbing would miss those of a build or of a test runner. */
export const ENTITIES: EntityTarget<ObjectLiteral>[] = [
  AuditLogEntry,
  ApiKey,
  IdempotencyKey,
  Contact,
  Message,
  Workflow,
  WorkflowVersion,
  WorkflowSchedule,
  WorkflowTool,
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
