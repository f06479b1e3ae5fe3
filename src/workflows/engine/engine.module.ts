import { Module } from '@nestjs/common';
import { ContactsModule } from '../../contacts/contacts.module.js';
import { LiquidModule } from '../../liquid/liquid.module.js';
import { ToolsModule } from '../../tools/tools.module.js';
import { JournalModule } from '../journal/journal.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { StoreModule } from '../store/store.module.js';
import { TriggersModule } from '../triggers/triggers.module.js';
import { WaitsModule } from '../waits/waits.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { ParkedRunsRepository } from './parked-runs.repository.js';
import { ParkedRuns } from './parked-runs.service.js';
import { RunContentsRepository } from './run-contents.repository.js';
import { RunExecutor } from './run-executor.service.js';
import { RunProgress } from './run-progress.service.js';
import { RunScope } from './run-scope.service.js';
import { RunWorker } from './run.worker.js';
import { BranchRunner } from './runners/branch.runner.js';
import { EventWaitRunner } from './runners/event-wait.runner.js';
import { ForEachRunner } from './runners/for-each.runner.js';
import { ParallelRunner } from './runners/parallel.runner.js';
import { RunWorkflowRunner } from './runners/run-workflow.runner.js';
import { StepRunners } from './runners/step-runners.service.js';
import { StopRunner } from './runners/stop.runner.js';
import { ToolRunner } from './runners/tool.runner.js';
import { WaitRunner } from './runners/wait.runner.js';
import { StepCaller } from './step-caller.service.js';

/** Claims runs and executes their steps. */
@Module({
  imports: [
    ContactsModule,
    JournalModule,
    LiquidModule,
    RunsModule,
    StoreModule,
    ToolsModule,
    TriggersModule,
    WaitsModule,
    WebhooksModule,
  ],
  providers: [
    ParkedRunsRepository,
    ParkedRuns,
    RunContentsRepository,
    RunExecutor,
    RunProgress,
    RunScope,
    RunWorker,
    BranchRunner,
    EventWaitRunner,
    ForEachRunner,
    ParallelRunner,
    RunWorkflowRunner,
    StepRunners,
    StopRunner,
    ToolRunner,
    WaitRunner,
    StepCaller,
  ],
})
export class EngineModule {}
