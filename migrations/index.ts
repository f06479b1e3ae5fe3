import { Foundation1764000000000 } from './1764000000000-foundation.js';
import { DryRuns1764000001000 } from './1764000001000-dry-runs.js';
import { Accounts1764000002000 } from './1764000002000-accounts.js';
import { Idempotency1764000003000 } from './1764000003000-idempotency.js';
import { Contacts1764000004000 } from './1764000004000-contacts.js';
import { Messages1764000005000 } from './1764000005000-messages.js';
import { Workflows1764000006000 } from './1764000006000-workflows.js';
import { Runs1764000007000 } from './1764000007000-runs.js';
import { Limits1764000008000 } from './1764000008000-limits.js';
import { Schedules1764000009000 } from './1764000009000-schedules.js';
import { Waits1764000010000 } from './1764000010000-waits.js';
import { Webhooks1764000011000 } from './1764000011000-webhooks.js';
import { Keys1764000012000 } from './1764000012000-keys.js';
import { Retention1764000013000 } from './1764000013000-retention.js';
import { BoundContexts1764000014000 } from './1764000014000-bound-contexts.js';
import { Grants1764000015000 } from './1764000015000-grants.js';
import { Confirmations1764000016000 } from './1764000016000-confirmations.js';
import { Surface1764000017000 } from './1764000017000-surface.js';
import { TokenBuckets1764000018000 } from './1764000018000-token-buckets.js';
import { RestrictedKeys1764000019000 } from './1764000019000-restricted-keys.js';
import { Quotas1764000019500 } from './1764000019500-quotas.js';
import { AuditChains1764000020000 } from './1764000020000-audit-chains.js';
import { CutValues1764000022000 } from './1764000022000-cut-values.js';
import { AccountSettings1764000024000 } from './1764000024000-account-settings.js';
import { VerifiedAddresses1764000025000 } from './1764000025000-verified-addresses.js';
import { MessageEvents1764000026000 } from './1764000026000-message-events.js';
import { SecretChannels1764000027000 } from './1764000027000-secret-channels.js';
import { MeasuredQuotas1764000028000 } from './1764000028000-measured-quotas.js';
import { Secrets1764000029000 } from './1764000029000-secrets.js';
import { KeptPlans1764000035000 } from './1764000035000-kept-plans.js';
import { WebhookAnswers1764000036500 } from './1764000036500-webhook-answers.js';
import { CustomEvents1764000037000 } from './1764000037000-custom-events.js';
import { Imports1764000038000 } from './1764000038000-imports.js';
import { Segments1764000039000 } from './1764000039000-segments.js';
import { ContactMerges1764000040000 } from './1764000040000-contact-merges.js';
import { SuppressedAddresses1764000040100 } from './1764000040100-suppressed-addresses.js';
import { Channels1764000041000 } from './1764000041000-channels.js';
import { AccountPolicies1764000041500 } from './1764000041500-account-policies.js';
import { Topics1764000043000 } from './1764000043000-topics.js';
import { Templates1764000044000 } from './1764000044000-templates.js';
import { SendingRules1764000045000 } from './1764000045000-sending-rules.js';
import { SenderDomains1764000047000 } from './1764000047000-sender-domains.js';
import { ContactsInBulk1764000051000 } from './1764000051000-contacts-in-bulk.js';
import { SignedWrites1764000056000 } from './1764000056000-signed-writes.js';
import { DueWork1764000057000 } from './1764000057000-due-work.js';
import { KeptMessages1764000058000 } from './1764000058000-kept-messages.js';
import { ImportTurns1764000062000 } from './1764000062000-import-turns.js';
import { EventTurns1764000071000 } from './1764000071000-event-turns.js';
import { ScheduleTurns1764000073000 } from './1764000073000-schedule-turns.js';
import { RowsOfHostileSql1764000074000 } from './1764000074000-rows-of-hostile-sql.js';
import { CountedResults1764000075000 } from './1764000075000-counted-results.js';
import { CheckedValues1764000076000 } from './1764000076000-checked-values.js';
import { BoundedValues1764000077000 } from './1764000077000-bounded-values.js';
import { BoundedLookUps1764000078000 } from './1764000078000-bounded-look-ups.js';
import { CountedConsent1764000078100 } from './1764000078100-counted-consent.js';
import { ConfirmedAddresses1764000079000 } from './1764000079000-confirmed-addresses.js';
import { SenderTokens1764000080000 } from './1764000080000-sender-tokens.js';
import { MessageIds1764000080100 } from './1764000080100-message-ids.js';
import { BoundedRows1764000082000 } from './1764000082000-bounded-rows.js';
import { BoundedConsent1764000083000 } from './1764000083000-bounded-consent.js';
import { CountedFailures1764000083100 } from './1764000083100-counted-failures.js';
import { BoundedMessages1764000085000 } from './1764000085000-bounded-messages.js';
import { BoundedTemplates1764000086000 } from './1764000086000-bounded-templates.js';
import { BoundedStepPaths1764000087000 } from './1764000087000-bounded-step-paths.js';
import { RetriedChains1764000088000 } from './1764000088000-retried-chains.js';
import { LockedSessions1764000089000 } from './1764000089000-locked-sessions.js';
import { QuotaDays1764000090000 } from './1764000090000-quota-days.js';
import { LateEvents1764000091000 } from './1764000091000-late-events.js';
import { EndedMessages1764000096000 } from './1764000096000-ended-messages.js';
import { EndedChanges1764000097000 } from './1764000097000-ended-changes.js';
import { EndsOfWaits1764000098000 } from './1764000098000-ends-of-waits.js';
import { LostContacts1764000099000 } from './1764000099000-lost-contacts.js';
import { SeparateSearchKeys1764000100000 } from './1764000100000-separate-search-keys.js';
import { DeliveredWaits1764000101000 } from './1764000101000-delivered-waits.js';
import { LastDebouncedRun1764000102000 } from './1764000102000-last-debounced-run.js';
import { BoundedColumns1764000103000 } from './1764000103000-bounded-columns.js';
import { KeptWithdrawals1764000104000 } from './1764000104000-kept-withdrawals.js';
import { UnblockedClaims1764000105000 } from './1764000105000-unblocked-claims.js';
import { PrintableValues1764000106000 } from './1764000106000-printable-values.js';
import { PagesOfVersions1764000107000 } from './1764000107000-pages-of-versions.js';
import { ReceivedMessages1764000108000 } from './1764000108000-received-messages.js';
import { ReturnedDecisions1764000109000 } from './1764000109000-returned-decisions.js';
import { BoundedLimits1764000110000 } from './1764000110000-bounded-limits.js';
import { CheapChecks1764000111000 } from './1764000111000-cheap-checks.js';
import { SeparateLimits1764000112000 } from './1764000112000-separate-limits.js';
import { SmallLimits1764000113000 } from './1764000113000-small-limits.js';
import { BoundedSkips1764000114000 } from './1764000114000-bounded-skips.js';
import { SharedEventSlots1764000115000 } from './1764000115000-shared-event-slots.js';
import { CountedLocks1764000116000 } from './1764000116000-counted-locks.js';
import { CountedRejectedRows1764000118000 } from './1764000118000-counted-rejected-rows.js';
import { FewSearchKeys1764000120000 } from './1764000120000-few-search-keys.js';
import { SmallRejectedRows1764000121000 } from './1764000121000-small-rejected-rows.js';
import { FairerClaims1764000123000 } from './1764000123000-fairer-claims.js';
import { ShortAdmissions1764000124000 } from './1764000124000-short-admissions.js';

/**
 * All migrations, oldest first. Only append: a migration that was released is never edited. A later migration that
 * changes a function edits its file in `functions/` and lists that file again, so each function stays defined in one
 * place.
 */
export const MIGRATIONS = [
  Foundation1764000000000,
  DryRuns1764000001000,
  Accounts1764000002000,
  Idempotency1764000003000,
  Contacts1764000004000,
  Messages1764000005000,
  Workflows1764000006000,
  Runs1764000007000,
  Limits1764000008000,
  Schedules1764000009000,
  Waits1764000010000,
  Webhooks1764000011000,
  Keys1764000012000,
  Retention1764000013000,
  BoundContexts1764000014000,
  Grants1764000015000,
  Confirmations1764000016000,
  Surface1764000017000,
  TokenBuckets1764000018000,
  RestrictedKeys1764000019000,
  Quotas1764000019500,
  AuditChains1764000020000,
  CutValues1764000022000,
  AccountSettings1764000024000,
  VerifiedAddresses1764000025000,
  MessageEvents1764000026000,
  SecretChannels1764000027000,
  MeasuredQuotas1764000028000,
  Secrets1764000029000,
  KeptPlans1764000035000,
  WebhookAnswers1764000036500,
  CustomEvents1764000037000,
  Imports1764000038000,
  Segments1764000039000,
  ContactMerges1764000040000,
  SuppressedAddresses1764000040100,
  Channels1764000041000,
  AccountPolicies1764000041500,
  Topics1764000043000,
  Templates1764000044000,
  SendingRules1764000045000,
  SenderDomains1764000047000,
  ContactsInBulk1764000051000,
  SignedWrites1764000056000,
  DueWork1764000057000,
  KeptMessages1764000058000,
  ImportTurns1764000062000,
  EventTurns1764000071000,
  ScheduleTurns1764000073000,
  RowsOfHostileSql1764000074000,
  CountedResults1764000075000,
  CheckedValues1764000076000,
  BoundedValues1764000077000,
  BoundedLookUps1764000078000,
  CountedConsent1764000078100,
  ConfirmedAddresses1764000079000,
  SenderTokens1764000080000,
  MessageIds1764000080100,
  BoundedRows1764000082000,
  BoundedConsent1764000083000,
  CountedFailures1764000083100,
  BoundedMessages1764000085000,
  BoundedTemplates1764000086000,
  BoundedStepPaths1764000087000,
  RetriedChains1764000088000,
  LockedSessions1764000089000,
  QuotaDays1764000090000,
  LateEvents1764000091000,
  EndedMessages1764000096000,
  EndedChanges1764000097000,
  EndsOfWaits1764000098000,
  LostContacts1764000099000,
  SeparateSearchKeys1764000100000,
  DeliveredWaits1764000101000,
  LastDebouncedRun1764000102000,
  BoundedColumns1764000103000,
  KeptWithdrawals1764000104000,
  UnblockedClaims1764000105000,
  PrintableValues1764000106000,
  PagesOfVersions1764000107000,
  ReceivedMessages1764000108000,
  ReturnedDecisions1764000109000,
  BoundedLimits1764000110000,
  CheapChecks1764000111000,
  SeparateLimits1764000112000,
  SmallLimits1764000113000,
  BoundedSkips1764000114000,
  SharedEventSlots1764000115000,
  CountedLocks1764000116000,
  CountedRejectedRows1764000118000,
  FewSearchKeys1764000120000,
  SmallRejectedRows1764000121000,
  FairerClaims1764000123000,
  ShortAdmissions1764000124000,
];
