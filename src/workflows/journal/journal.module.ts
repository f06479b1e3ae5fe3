import { Module } from '@nestjs/common';
import { RunJournalRepository } from './run-journal.repository.js';
import { RunsRepository } from './runs.repository.js';

/** Stores runs and their journals. */
@Module({
  imports: [],
  providers: [RunJournalRepository, RunsRepository],
  exports: [RunJournalRepository, RunsRepository],
})
export class JournalModule {}
