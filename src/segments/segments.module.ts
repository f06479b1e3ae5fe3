import { Module } from '@nestjs/common';
import { ContactsModule } from '../contacts/contacts.module.js';
import { ContactMatchesRepository } from './contact-matches.repository.js';
import { SegmentEvaluationsService } from './segment-evaluations.service.js';
import { SegmentMembersRepository } from './segment-members.repository.js';
import { SegmentMembersService } from './segment-members.service.js';
import { SegmentTools } from './segment.tools.js';
import { SegmentWorkRepository } from './segment-work.repository.js';
import { SegmentWorker } from './segment.worker.js';
import { SegmentsRepository } from './segments.repository.js';
import { SegmentsService } from './segments.service.js';

/** Provides segments of contacts, and finds the contacts that enter and leave them. */
@Module({
  imports: [ContactsModule],
  providers: [
    SegmentTools,
    SegmentWorker,
    SegmentsService,
    SegmentsRepository,
    SegmentMembersService,
    SegmentMembersRepository,
    SegmentEvaluationsService,
    SegmentWorkRepository,
    ContactMatchesRepository,
  ],
  exports: [SegmentsService],
})
export class SegmentsModule {}
