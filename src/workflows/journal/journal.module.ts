import { Module } from '@nestjs/common';
import { RunJournalRepository } from './run-journal.repository.js';
import { RunStepsRepository } from './run-steps.repository.js';
import { RunsRepository } from './runs.repository.js';

@Module({
  providers: [RunJournalRepository, RunStepsRepository, RunsRepository],
  exports: [RunJournalRepository, RunStepsRepository, RunsRepository],
})
export class JournalModule {}
