import { Module } from '@nestjs/common';
import { RunJournalRepository } from './run-journal.repository.js';
import { RunsRepository } from './runs.repository.js';

@Module({
  providers: [RunJournalRepository, RunsRepository],
  exports: [RunJournalRepository, RunsRepository],
})
export class JournalModule {}
