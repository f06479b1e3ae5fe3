import { Module } from '@nestjs/common';
import { LoopJournalRepository } from './loop-journal.repository.js';
import { RunJournalRepository } from './run-journal.repository.js';
import { RunStepsRepository } from './run-steps.repository.js';
import { RunsRepository } from './runs.repository.js';
import { WebhookRunsRepository } from './webhook-runs.repository.js';

const REPOSITORIES = [
  LoopJournalRepository,
  RunJournalRepository,
  RunStepsRepository,
  RunsRepository,
  WebhookRunsRepository,
];

@Module({
  providers: REPOSITORIES,
  exports: REPOSITORIES,
})
export class JournalModule {}
