import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { LiquidSandbox } from '../liquid/liquid-sandbox.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { BulkRunTools } from './runs/bulk/bulk-run.tools.js';
import { BulkRuns } from './runs/bulk/bulk-runs.service.js';
import { CompatibilityReport } from './authoring/versions/compatibility-report.service.js';
import { EventTriggers } from './triggers/event-triggers.service.js';
import { EventDeliveries } from './waits/event-deliveries.service.js';
import { EventWaitRunner } from './engine/runners/event-wait.runner.js';
import { RunWorkflowRunner } from './engine/runners/run-workflow.runner.js';
import { EventWorker } from './waits/event.worker.js';
import { PendingEventsRepository } from './waits/pending-events.repository.js';
import { ResumeController } from './webhooks/resume.controller.js';
import { ResumeUrls } from './webhooks/resume-urls.service.js';
import { ResumesService } from './webhooks/resumes.service.js';
import { RunWaitsRepository } from './waits/run-waits.repository.js';
import { DeliveryLog } from './webhooks/delivery-log.service.js';
import { ParkedRunsRepository } from './engine/parked-runs.repository.js';
import { ParkedRuns } from './engine/parked-runs.service.js';
import { RunContactTools } from './runs/run-contact.tools.js';
import { RunContacts } from './runs/run-contacts.service.js';
import { RunControlRepository } from './runs/run-control.repository.js';
import { RunControl } from './runs/run-control.service.js';
import { RunContentsRepository } from './engine/run-contents.repository.js';
import { LimitGatesRepository } from './triggers/limits/limit-gates.repository.js';
import { LimitGates } from './triggers/limits/limit-gates.service.js';
import { OfferedRunResults } from './runs/offered-run-results.service.js';
import { OfferedWorkflows } from './offers/offered-workflows.service.js';
import { PayloadContacts } from './triggers/payload-contacts.service.js';
import { RunExecutor } from './engine/run-executor.service.js';
import { RunJournalRepository } from './journal/run-journal.repository.js';
import { RunProgress } from './engine/run-progress.service.js';
import { RunScope } from './engine/run-scope.service.js';
import { RunSearch } from './runs/run-search.repository.js';
import { RunStarts } from './triggers/run-starts.service.js';
import { RunTasks } from './runs/run-tasks.service.js';
import { RunCompletions } from './runs/run.completions.js';
import { RunPrompts } from './runs/run.prompts.js';
import { RunWaiter } from './runs/run-waiter.service.js';
import { RunTools } from './runs/run.tools.js';
import { RunWorker } from './engine/run.worker.js';
import { RunsRepository } from './journal/runs.repository.js';
import { RunsService } from './runs/runs.service.js';
import { ScheduleWorker } from './triggers/schedule.worker.js';
import { SchedulesRepository } from './triggers/schedules.repository.js';
import { SchedulesService } from './triggers/schedules.service.js';
import { StepCaller } from './engine/step-caller.service.js';
import { BranchRunner } from './engine/runners/branch.runner.js';
import { ForEachRunner } from './engine/runners/for-each.runner.js';
import { ParallelRunner } from './engine/runners/parallel.runner.js';
import { StepRunners } from './engine/runners/step-runners.service.js';
import { StopRunner } from './engine/runners/stop.runner.js';
import { ToolRunner } from './engine/runners/tool.runner.js';
import { WaitRunner } from './engine/runners/wait.runner.js';
import { ToolCompatibility } from './store/tool-compatibility.service.js';
import { TriggerFilter } from './triggers/trigger-filter.service.js';
import { VersionHistory } from './store/version-history.service.js';
import { WebhookCompletions } from './authoring/webhook.completions.js';
import { WebhookController } from './webhooks/webhook.controller.js';
import { WebhookDeliveriesRepository } from './webhooks/webhook-deliveries.repository.js';
import { WebhookSecrets } from './webhooks/webhook-secrets.service.js';
import { WebhookTools } from './authoring/webhook.tools.js';
import { WebhookChecks } from './webhooks/webhook-checks.service.js';
import { WebhookLookUps } from './webhooks/webhook-look-ups.service.js';
import { WebhookStarts } from './webhooks/webhook-starts.service.js';
import { WebhooksService } from './webhooks/webhooks.service.js';
import { WorkflowOfferTools } from './offers/workflow-offer.tools.js';
import { WorkflowOffers } from './offers/workflow-offers.service.js';
import { WorkflowPrompts } from './authoring/workflow.prompts.js';
import { WorkflowVersionTools } from './authoring/versions/workflow-version.tools.js';
import { WorkflowToolsRepository } from './store/workflow-tools.repository.js';
import { WorkflowTools } from './authoring/workflow.tools.js';
import { WorkflowVersionsRepository } from './store/workflow-versions.repository.js';
import { WorkflowVersionsService } from './authoring/versions/workflow-versions.service.js';
import { WorkflowsRepository } from './store/workflows.repository.js';
import { WorkflowsService } from './authoring/workflows.service.js';

/** Workflows, the webhooks that start them, and the runs that carry them out. */
@Module({
  imports: [AccountsModule, ToolsModule, PoliciesModule, ContactsModule],
  controllers: [WebhookController, ResumeController],
  providers: [
    LiquidSandbox,
    BulkRuns,
    BulkRunTools,
    CompatibilityReport,
    EventTriggers,
    EventDeliveries,
    EventWorker,
    PendingEventsRepository,
    ResumeUrls,
    ResumesService,
    RunWaitsRepository,
    DeliveryLog,
    RunControl,
    RunControlRepository,
    RunContentsRepository,
    LimitGates,
    LimitGatesRepository,
    OfferedRunResults,
    OfferedWorkflows,
    PayloadContacts,
    RunExecutor,
    RunJournalRepository,
    RunProgress,
    RunScope,
    RunSearch,
    RunStarts,
    RunTasks,
    RunTools,
    ParkedRuns,
    ParkedRunsRepository,
    RunContactTools,
    RunContacts,
    RunWaiter,
    RunPrompts,
    RunCompletions,
    RunWorker,
    RunsRepository,
    RunsService,
    ScheduleWorker,
    SchedulesRepository,
    SchedulesService,
    StepCaller,
    StepRunners,
    ToolRunner,
    WaitRunner,
    ForEachRunner,
    ParallelRunner,
    StopRunner,
    BranchRunner,
    ToolCompatibility,
    EventWaitRunner,
    RunWorkflowRunner,
    TriggerFilter,
    VersionHistory,
    WorkflowVersionTools,
    WorkflowVersionsRepository,
    WorkflowVersionsService,
    WebhookDeliveriesRepository,
    WebhookSecrets,
    WebhookCompletions,
    WebhookTools,
    WebhookChecks,
    WebhookLookUps,
    WebhookStarts,
    WebhooksService,
    WorkflowOfferTools,
    WorkflowOffers,
    WorkflowTools,
    WorkflowToolsRepository,
    WorkflowPrompts,
    WorkflowsRepository,
    WorkflowsService,
  ],
})
export class WorkflowsModule {}
