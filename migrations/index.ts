import { Foundation1763700000000 } from './1763700000000-foundation.js';
import { Accounts1763700001000 } from './1763700001000-accounts.js';
import { Keys1763700002000 } from './1763700002000-keys.js';
import { Idempotency1763700003000 } from './1763700003000-idempotency.js';
import { Contacts1763700004000 } from './1763700004000-contacts.js';
import { Messages1763700005000 } from './1763700005000-messages.js';
import { Workflows1763700006000 } from './1763700006000-workflows.js';
import { IdempotencyRetention1763700007000 } from './1763700007000-idempotency-retention.js';
import { ToolPolicies1763700008100 } from './1763700008100-tool-policies.js';
import { ParkedRunChanges1763700014000 } from './1763700014000-parked-run-changes.js';
import { DryRunEffects1763700020000 } from './1763700020000-dry-run-effects.js';
import { EventTriggers1763700033000 } from './1763700033000-event-triggers.js';
import { WorkflowSchedules1763700034000 } from './1763700034000-workflow-schedules.js';
import { WebhookSecrets1763700041000 } from './1763700041000-webhook-secrets.js';
import { WebhookDeliveries1763700042000 } from './1763700042000-webhook-deliveries.js';
import { TakenOverRunsFirst1763700050000 } from './1763700050000-taken-over-runs-first.js';
import { RunWaits1763700052000 } from './1763700052000-run-waits.js';
import { InboundMessages1763700053000 } from './1763700053000-inbound-messages.js';
import { TriggerContacts1763700053001 } from './1763700053001-trigger-contacts.js';
import { ParkedRuns1763700053002 } from './1763700053002-parked-runs.js';
import { RunFamilies1763700053003 } from './1763700053003-run-families.js';
import { RunFilters1763700054000 } from './1763700054000-run-filters.js';
import { RunHistory1763700054100 } from './1763700054100-run-history.js';
import { Retention1763700054200 } from './1763700054200-retention.js';
import { FairClaims1763700055000 } from './1763700055000-fair-claims.js';
import { RunLimits1763700055100 } from './1763700055100-run-limits.js';
import { WorkflowVersions1763700056000 } from './1763700056000-workflow-versions.js';
import { ToolSchemas1763700056100 } from './1763700056100-tool-schemas.js';
import { WorkflowTools1763700057000 } from './1763700057000-workflow-tools.js';
import { ContactSearch1763700059000 } from './1763700059000-contact-search.js';
import { SeldomWakes1763700060000 } from './1763700060000-seldom-wakes.js';
import { BoundedBatches1763700061000 } from './1763700061000-bounded-batches.js';
import { WebhookRevisions1763700062000 } from './1763700062000-webhook-revisions.js';
import { HeldRuns1763700062001 } from './1763700062001-held-runs.js';
import { ContactSearchKeys1763700063000 } from './1763700063000-contact-search-keys.js';
import { RunReferences1763700064000 } from './1763700064000-run-references.js';
import { RunIdIndex1763700065000 } from './1763700065000-run-id-index.js';
import { WebhookLimits1763700066000 } from './1763700066000-webhook-limits.js';

/** Every migration, oldest first. Append only: a migration that has been released is never edited. */
export const MIGRATIONS = [
  Foundation1763700000000,
  Accounts1763700001000,
  Keys1763700002000,
  Idempotency1763700003000,
  Contacts1763700004000,
  Messages1763700005000,
  Workflows1763700006000,
  IdempotencyRetention1763700007000,
  ToolPolicies1763700008100,
  ParkedRunChanges1763700014000,
  DryRunEffects1763700020000,
  EventTriggers1763700033000,
  WorkflowSchedules1763700034000,
  WebhookSecrets1763700041000,
  WebhookDeliveries1763700042000,
  TakenOverRunsFirst1763700050000,
  RunWaits1763700052000,
  InboundMessages1763700053000,
  TriggerContacts1763700053001,
  ParkedRuns1763700053002,
  RunFamilies1763700053003,
  RunFilters1763700054000,
  RunHistory1763700054100,
  Retention1763700054200,
  FairClaims1763700055000,
  RunLimits1763700055100,
  WorkflowVersions1763700056000,
  ToolSchemas1763700056100,
  WorkflowTools1763700057000,
  ContactSearch1763700059000,
  SeldomWakes1763700060000,
  BoundedBatches1763700061000,
  WebhookRevisions1763700062000,
  HeldRuns1763700062001,
  ContactSearchKeys1763700063000,
  RunReferences1763700064000,
  RunIdIndex1763700065000,
  WebhookLimits1763700066000,
];
