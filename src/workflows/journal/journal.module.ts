import { Module } from '@nestjs/common';
import { RunJournalRepository } from './run-journal.repository.js';
import { RunStepsRepository } from './run-steps.repository.js';
import { RunsRepository } from './runs.repository.js';
import { WebhookRunsRepository } from './webhook-runs.repository.js';

@Module({
  providers: [RunJournalRepository, RunStepsRepository, RunsRepository, WebhookRunsRepository],
  exports: [RunJournalRepository, RunStepsRepository, RunsRepository, WebhookRunsRepository],
})
export class JournalModule {}
