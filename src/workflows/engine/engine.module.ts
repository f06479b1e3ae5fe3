import { Module } from '@nestjs/common';
import { CodeModule } from '../../code/code.module.js';
import { ContactsModule } from '../../contacts/contacts.module.js';
import { LiquidModule } from '../../liquid/liquid.module.js';
import { SecretsModule } from '../../secrets/secrets.module.js';
import { ToolsModule } from '../../tools/tools.module.js';
import { JournalModule } from '../journal/journal.module.js';
import { PayloadsModule } from '../payloads/payloads.module.js';
import { RunsModule } from '../runs/runs.module.js';
import { StoreModule } from '../store/store.module.js';
import { TriggersModule } from '../triggers/triggers.module.js';
import { WaitsModule } from '../waits/waits.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { ClaimedRunsRepository } from './claimed-runs.repository.js';
import { EventWaitsService } from './event-waits.service.js';
import { LoopFoldsService } from './loop-folds.service.js';
import { LoopItemsService } from './loop-items.service.js';
import { ParkedRunsService } from './parked-runs.service.js';
import { RunEndingsService } from './run-endings.service.js';
import { RunExecutorService } from './run-executor.service.js';
import { RunLoaderService } from './run-loader.service.js';
import { RunMemoryService } from './run-memory.service.js';
import { RunProgressService } from './run-progress.service.js';
import { RunScopeService } from './run-scope.service.js';
import { RunWorker } from './run.worker.js';
import { BranchRunner } from './runners/branch.runner.js';
import { CodeRunner } from './runners/code.runner.js';
import { EventWaitRunner } from './runners/event-wait.runner.js';
import { FailureRunner } from './runners/failure.runner.js';
import { ForEachRunner } from './runners/for-each.runner.js';
import { ParallelRunner } from './runners/parallel.runner.js';
import { RaceRunner } from './runners/race.runner.js';
import { RespondRunner } from './runners/respond.runner.js';
import { RunWorkflowRunner } from './runners/run-workflow.runner.js';
import { type StepRunner, StepRunnersService } from './runners/step-runners.service.js';
import { ReturnRunner } from './runners/return.runner.js';
import { SetRunner } from './runners/set.runner.js';
import { StopRunner } from './runners/stop.runner.js';
import { TimeoutRunner } from './runners/timeout.runner.js';
import { ToolRunner } from './runners/tool.runner.js';
import { WaitRunner } from './runners/wait.runner.js';
import { StepCallerService } from './step-caller.service.js';

const RUNNERS = [
  BranchRunner,
  CodeRunner,
  EventWaitRunner,
  FailureRunner,
  ForEachRunner,
  ParallelRunner,
  RaceRunner,
  RespondRunner,
  ReturnRunner,
  RunWorkflowRunner,
  SetRunner,
  StopRunner,
  TimeoutRunner,
  ToolRunner,
  WaitRunner,
];

@Module({
  imports: [
    CodeModule,
    ContactsModule,
    JournalModule,
    LiquidModule,
    PayloadsModule,
    RunsModule,
    SecretsModule,
    StoreModule,
    ToolsModule,
    TriggersModule,
    WaitsModule,
    WebhooksModule,
  ],
  providers: [
    ClaimedRunsRepository,
    EventWaitsService,
    LoopFoldsService,
    LoopItemsService,
    ParkedRunsService,
    RunEndingsService,
    RunExecutorService,
    RunLoaderService,
    RunMemoryService,
    RunProgressService,
    RunScopeService,
    RunWorker,
    StepCallerService,
    ...RUNNERS,
    {
      provide: StepRunnersService,
      inject: RUNNERS,
      useFactory: (...runners: StepRunner[]) => new StepRunnersService(runners),
    },
  ],
})
export class EngineModule {}
