import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { LiquidSandbox } from '../liquid/liquid-sandbox.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { BulkRunTools } from './bulk-run.tools.js';
import { BulkRuns } from './bulk-runs.service.js';
import { CompatibilityReport } from './compatibility-report.service.js';
import { EventTriggers } from './event-triggers.service.js';
import { EventDeliveries } from './event-deliveries.service.js';
import { EventWaitRunner } from './steps/event-wait-runner.service.js';
import { RunWorkflowRunner } from './steps/run-workflow-runner.service.js';
import { EventWorker } from './event.worker.js';
import { PendingEventsRepository } from './pending-events.repository.js';
import { ResumeController } from './resume.controller.js';
import { ResumeUrls } from './resume-urls.service.js';
import { ResumesService } from './resumes.service.js';
import { RunWaitsRepository } from './run-waits.repository.js';
import { DeliveryLog } from './delivery-log.service.js';
import { ParkedRunsRepository } from './parked-runs.repository.js';
import { ParkedRuns } from './parked-runs.service.js';
import { RunContactTools } from './run-contact.tools.js';
import { RunContacts } from './run-contacts.service.js';
import { RunControlRepository } from './run-control.repository.js';
import { RunControl } from './run-control.service.js';
import { RunContentsRepository } from './run-contents.repository.js';
import { LimitGatesRepository } from './limit-gates.repository.js';
import { LimitGates } from './limit-gates.service.js';
import { OfferedRunResults } from './offered-run-results.service.js';
import { OfferedWorkflows } from './offered-workflows.service.js';
import { PayloadContacts } from './payload-contacts.service.js';
import { RunExecutor } from './run-executor.service.js';
import { RunJournalRepository } from './run-journal.repository.js';
import { RunProgress } from './run-progress.service.js';
import { RunScope } from './run-scope.service.js';
import { RunSearch } from './run-search.repository.js';
import { RunStarts } from './run-starts.service.js';
import { RunTasks } from './run-tasks.service.js';
import { RunCompletions } from './run.completions.js';
import { RunPrompts } from './run.prompts.js';
import { RunWaiter } from './run-waiter.service.js';
import { RunTools } from './run.tools.js';
import { RunWorker } from './run.worker.js';
import { RunsRepository } from './runs.repository.js';
import { RunsService } from './runs.service.js';
import { ScheduleWorker } from './schedule.worker.js';
import { SchedulesRepository } from './schedules.repository.js';
import { SchedulesService } from './schedules.service.js';
import { StepCaller } from './step-caller.service.js';
import { BranchRunner } from './steps/branch-runner.service.js';
import { ForEachRunner } from './steps/for-each-runner.service.js';
import { ParallelRunner } from './steps/parallel-runner.service.js';
import { StepRunners } from './steps/step-runners.service.js';
import { StopRunner } from './steps/stop-runner.service.js';
import { ToolRunner } from './steps/tool-runner.service.js';
import { WaitRunner } from './steps/wait-runner.service.js';
import { ToolCompatibility } from './tool-compatibility.service.js';
import { TriggerFilter } from './trigger-filter.service.js';
import { VersionHistory } from './version-history.service.js';
import { WebhookCompletions } from './webhook.completions.js';
import { WebhookController } from './webhook.controller.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookSecrets } from './webhook-secrets.service.js';
import { WebhookTools } from './webhook.tools.js';
import { WebhookStarts } from './webhook-starts.service.js';
import { WebhooksService } from './webhooks.service.js';
import { WorkflowOfferTools } from './workflow-offer.tools.js';
import { WorkflowOffers } from './workflow-offers.service.js';
import { WorkflowPrompts } from './workflow.prompts.js';
import { WorkflowVersionTools } from './workflow-version.tools.js';
import { WorkflowToolsRepository } from './workflow-tools.repository.js';
import { WorkflowTools } from './workflow.tools.js';
import { WorkflowVersionsRepository } from './workflow-versions.repository.js';
import { WorkflowVersionsService } from './workflow-versions.service.js';
import { WorkflowsRepository } from './workflows.repository.js';
import { WorkflowsService } from './workflows.service.js';

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
