import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * Lists the test files that run on PostgreSQL and again on Bull, with `describeOnEachDriver`, because they depend on
 * how workers receive wake-ups. Most other files of workflows and messages run on Bull only in `npm run test:slow`.
 */
export const DRIVER_SPECS = [
  'test/messaging/message-delivery.e2e-spec.ts',
  'test/queue/wake-ups.e2e-spec.ts',
  'test/workflows/fair-claims.e2e-spec.ts',
  'test/workflows/webhook-durability.e2e-spec.ts',
];

/**
 * Lists the test files in the folders of workflows and messages that test requests and definitions. Wake-ups make no
 * difference to these tests.
 */
export const DRIVERLESS_SPECS = [
  'test/messaging/send-message.e2e-spec.ts',
  'test/workflows/approved-secrets.e2e-spec.ts',
  'test/workflows/contact-mapping.e2e-spec.ts',
  'test/workflows/exact-numbers.e2e-spec.ts',
  'test/workflows/http-request*.e2e-spec.ts',
  'test/workflows/idempotency-keys.e2e-spec.ts',
  'test/workflows/large-payloads.e2e-spec.ts',
  'test/workflows/large-runs.e2e-spec.ts',
  'test/workflows/large-webhooks.e2e-spec.ts',
  'test/workflows/long-calls.e2e-spec.ts',
  'test/workflows/rate-limits.e2e-spec.ts',
  'test/workflows/refused-definitions.e2e-spec.ts',
  'test/workflows/run-filters.e2e-spec.ts',
  'test/workflows/run-size.e2e-spec.ts',
  'test/workflows/standard-webhooks.e2e-spec.ts',
  'test/workflows/starts-by-agents.e2e-spec.ts',
  'test/workflows/webhook-*.e2e-spec.ts',
  'test/workflows/workflow-*.e2e-spec.ts',
];

/**
 * Returns the test files that `npm run test:slow` repeats with more rounds, rows, cases and tests. These files, or
 * their support files, import `thorough.ts`.
 */
export function findThoroughSpecs(): string[] {
  const root = resolve(import.meta.dirname, '../..');
  const found = ['src', 'test', 'web']
    .flatMap((folder) =>
      readdirSync(resolve(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (path) => `${folder}/${path}`,
      ),
    )
    .filter((path) => /\.(e2e-)?spec\.tsx?$/.test(path))
    .filter((path) => readFileSync(resolve(root, path), 'utf8').includes("/thorough.js'"));
  return [...found, 'test/failpoints/*.e2e-spec.ts', 'test/mcp/fuzz.e2e-spec.ts'];
}

/**
 * Lists the test files that only `npm run test:slow` runs: they measure costs, start many processes, applications or
 * databases, write many rows, or go through many generated calls.
 */
export const SLOW_SPECS = [
  'src/code/code-memory.spec.ts',
  'test/accounts/limits-of-processes.e2e-spec.ts',
  'test/accounts/simultaneous-passwords.e2e-spec.ts',
  'test/audit/audit-verify-command.e2e-spec.ts',
  'test/command-line/call-once.e2e-spec.ts',
  'test/command-line/call-rows.e2e-spec.ts',
  'test/command-line/doctor.e2e-spec.ts',
  'test/command-line/interrupted-rows.e2e-spec.ts',
  'test/command-line/many-rows.e2e-spec.ts',
  'test/contacts/filter-index.e2e-spec.ts',
  'test/contacts/hostile-search.e2e-spec.ts',
  'test/contacts/merge-many-messages.e2e-spec.ts',
  'test/contacts/search-index.e2e-spec.ts',
  'test/database/assert-isolated.e2e-spec.ts',
  'test/database/backup.e2e-spec.ts',
  'test/database/extension-schema.e2e-spec.ts',
  'test/database/forged-notifications.e2e-spec.ts',
  'test/database/migrations.e2e-spec.ts',
  'test/database/pgbouncer-modes.e2e-spec.ts',
  'test/database/restore.e2e-spec.ts',
  'test/database/tenant-matrix.e2e-spec.ts',
  'test/documentation/command-line.e2e-spec.ts',
  'test/documentation/recipes.e2e-spec.ts',
  'test/embedded/cluster-template.e2e-spec.ts',
  'test/embedded/embedded-crashes.e2e-spec.ts',
  'test/embedded/embedded-postgres.e2e-spec.ts',
  'test/http/stalled-clients.e2e-spec.ts',
  'test/imports/import-turns.e2e-spec.ts',
  'test/imports/killed-workers.e2e-spec.ts',
  'test/mcp/fuzz-tools.e2e-spec.ts',
  'test/mcp/subscriptions-processes.e2e-spec.ts',
  'test/new-module/new-module.e2e-spec.ts',
  'test/operations/backup-command.e2e-spec.ts',
  'test/operations/dev-command.e2e-spec.ts',
  'test/operations/large-payload-time.e2e-spec.ts',
  'test/operations/personal-data-in-logs.e2e-spec.ts',
  'test/operations/processor-time.e2e-spec.ts',
  'test/operations/roles.e2e-spec.ts',
  'test/operations/rotate-secrets.e2e-spec.ts',
  'test/operations/secrets-in-logs.e2e-spec.ts',
  'test/operations/settings-file.e2e-spec.ts',
  'test/operations/shared-data-folder.e2e-spec.ts',
  'test/operations/tool-compatibility.e2e-spec.ts',
  'test/operations/tools-command.e2e-spec.ts',
  'test/operations/work-in-logs.e2e-spec.ts',
  'test/package/package.e2e-spec.ts',
  'test/prompts/prompt-registry.e2e-spec.ts',
  'test/queue/bull-wake-ups.e2e-spec.ts',
  'test/resources/resource-registry.e2e-spec.ts',
  'test/segments/killed-workers.e2e-spec.ts',
  'test/templates/costly-html.e2e-spec.ts',
  'test/templates/html-turns.e2e-spec.ts',
  'test/tools/data-of-guards.e2e-spec.ts',
  'test/tools/dry-run.e2e-spec.ts',
  'test/tools/repeated-calls.e2e-spec.ts',
  'test/tools/tool-aliases.e2e-spec.ts',
  'test/workflows/claim-cost.e2e-spec.ts',
  'test/workflows/fair-turns.e2e-spec.ts',
  'test/workflows/fan-out-limits.e2e-spec.ts',
  'test/workflows/huge-loops.e2e-spec.ts',
  'test/workflows/large-runs.e2e-spec.ts',
  'test/workflows/long-calls.e2e-spec.ts',
  'test/workflows/offers-cost.e2e-spec.ts',
  'test/workflows/offers.e2e-spec.ts',
  'test/workflows/webhook-memory.e2e-spec.ts',
];

/**
 * Lists the test files that only `npm run test:slow` runs because they wait long or test details and combinations. In
 * `npm test`, other files test the same behaviour.
 */
export const DETAIL_SPECS = [
  'src/code/code-sandbox.spec.ts',
  'src/templates/version-cache.spec.ts',
  'src/workflows/payloads/large-reads.spec.ts',
  'test/accounts/closed-sign-up.e2e-spec.ts',
  'test/accounts/session-limits.e2e-spec.ts',
  'test/change-streams/change-streams.e2e-spec.ts',
  'test/changes/published-changes.e2e-spec.ts',
  'test/contacts/merge-races.e2e-spec.ts',
  'test/database/answer-limit.e2e-spec.ts',
  'test/database/bounded-look-ups.e2e-spec.ts',
  'test/database/broken-connections.e2e-spec.ts',
  'test/database/checked-values.e2e-spec.ts',
  'test/database/connection-checks.e2e-spec.ts',
  'test/database/connection-shares.e2e-spec.ts',
  'test/database/costly-claims.e2e-spec.ts',
  'test/database/dry-run.e2e-spec.ts',
  'test/database/gate-shares.e2e-spec.ts',
  'test/database/growing-tables.e2e-spec.ts',
  'test/database/hostile-rows.e2e-spec.ts',
  'test/database/hostile-locks.e2e-spec.ts',
  'test/database/hostile-values.e2e-spec.ts',
  'test/database/pgbouncer.e2e-spec.ts',
  'test/database/sessions-of-tools.e2e-spec.ts',
  'test/database/tenancy-of-reading.e2e-spec.ts',
  'test/documentation/message-files.e2e-spec.ts',
  'test/documentation/messaging.e2e-spec.ts',
  'test/documentation/provider-callbacks.e2e-spec.ts',
  'test/documentation/providers.e2e-spec.ts',
  'test/documentation/tasks.e2e-spec.ts',
  'test/documentation/templates.e2e-spec.ts',
  'test/documentation/webhooks.e2e-spec.ts',
  'test/documentation/workflows.e2e-spec.ts',
  'test/failpoints/worker-failpoints.e2e-spec.ts',
  'test/http/call-turns.e2e-spec.ts',
  'test/http/cancelled-uploads.e2e-spec.ts',
  'test/http/open-downloads.e2e-spec.ts',
  'test/http/slow-connections.e2e-spec.ts',
  'test/http/stop.e2e-spec.ts',
  'test/http/unread-owners.e2e-spec.ts',
  'test/imports/csv-files.e2e-spec.ts',
  'test/imports/parallel-exports.e2e-spec.ts',
  'test/mail/smtp-outcomes.e2e-spec.ts',
  'test/mcp/modern-cancellation.e2e-spec.ts',
  'test/mcp/official-tasks-client.e2e-spec.ts',
  'test/mcp/rate-limit.e2e-spec.ts',
  'test/mcp/task-sources.e2e-spec.ts',
  'test/messaging/hostile-envelopes.e2e-spec.ts',
  'test/messaging/message-batches.e2e-spec.ts',
  'test/messaging/shared-calls.e2e-spec.ts',
  'test/messaging/slow-providers.e2e-spec.ts',
  'test/messaging/sms-help-limit.e2e-spec.ts',
  'test/prompts/completions.e2e-spec.ts',
  'test/queue/postgres-wake-ups.e2e-spec.ts',
  'test/segments/locks.e2e-spec.ts',
  'test/segments/slow-comparisons.e2e-spec.ts',
  'test/senders/dkim.e2e-spec.ts',
  'test/senders/sender-key-limits.e2e-spec.ts',
  'test/templates/html-processes.e2e-spec.ts',
  'test/templates/huge-html.e2e-spec.ts',
  'test/tools/check-result.e2e-spec.ts',
  'test/tools/guards.e2e-spec.ts',
  'test/workflows/direct-starts.e2e-spec.ts',
  'test/workflows/event-turns.e2e-spec.ts',
  'test/workflows/failing-deliveries.e2e-spec.ts',
  'test/workflows/hostile-deliveries.e2e-spec.ts',
  'test/workflows/hostile-versions.e2e-spec.ts',
  'test/workflows/http-request-files.e2e-spec.ts',
  'test/workflows/http-request-memory.e2e-spec.ts',
  'test/workflows/http-request-options.e2e-spec.ts',
  'test/workflows/large-payloads.e2e-spec.ts',
  'test/workflows/large-webhooks.e2e-spec.ts',
  'test/workflows/local-waits.e2e-spec.ts',
  'test/workflows/long-loops.e2e-spec.ts',
  'test/workflows/loop-recovery.e2e-spec.ts',
  'test/workflows/parked-runs.e2e-spec.ts',
  'test/workflows/race.e2e-spec.ts',
  'test/workflows/run-fan-out.e2e-spec.ts',
  'test/workflows/run-filters.e2e-spec.ts',
  'test/workflows/run-size.e2e-spec.ts',
  'test/workflows/schedule-turns.e2e-spec.ts',
  'test/workflows/shared-endings.e2e-spec.ts',
  'test/workflows/shared-steps.e2e-spec.ts',
  'test/workflows/slot-pauses.e2e-spec.ts',
  'test/workflows/wait-races.e2e-spec.ts',
  'test/workflows/webhook-requests.e2e-spec.ts',
  'test/workflows/webhook-slow-bodies.e2e-spec.ts',
  'test/workflows/webhook-test-limits.e2e-spec.ts',
];

/** Lists the unit tests that load the whole service. They run with the end-to-end tests, which load the service too. */
export const SERVICE_SPECS = ['web/forms/every-tool.spec.tsx'];

/** Lists the unit tests that measure or change the whole process. Each runs in a separate process. */
export const PROCESS_SPECS = ['src/http/signals.spec.ts', 'src/operations/tune-v8.spec.ts'];
