import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ContactAliasTools } from './contact-alias.tools.js';
import { ContactAliasesRepository } from './contact-aliases.repository.js';
import { ContactAliasesService } from './contact-aliases.service.js';
import { ContactBatchesRepository } from './contact-batches.repository.js';
import { ContactBatchesService } from './contact-batches.service.js';
import { ContactDuplicateTools } from './contact-duplicate.tools.js';
import { ContactDuplicatesRepository } from './contact-duplicates.repository.js';
import { ContactDuplicatesService } from './contact-duplicates.service.js';
import { ContactMergeRetention } from './contact-merge-retention.js';
import { ContactMergeTools } from './contact-merge.tools.js';
import { ContactMergesRepository } from './contact-merges.repository.js';
import { ContactMergesService } from './contact-merges.service.js';
import { ContactPropertiesRepository } from './contact-properties.repository.js';
import { ContactPropertiesService } from './contact-properties.service.js';
import { ContactPropertyTools } from './contact-property.tools.js';
import { ContactRulesRepository } from './contact-rules.repository.js';
import { ContactRulesService } from './contact-rules.service.js';
import { ContactSettingsTools } from './contact-settings.tools.js';
import { ContactTools } from './contact.tools.js';
import { ContactSearchRepository } from './contact-search.repository.js';
import { ContactsRepository } from './contacts.repository.js';
import { ContactsService } from './contacts.service.js';
import { NamedSegmentsRepository } from './named-segments.repository.js';
import { SegmentFiltersService } from './segment-filters.service.js';

@Module({
  imports: [AccountsModule],
  providers: [
    ContactTools,
    ContactsService,
    ContactsRepository,
    ContactSearchRepository,
    ContactRulesService,
    ContactRulesRepository,
    ContactSettingsTools,
    ContactPropertyTools,
    ContactPropertiesService,
    ContactPropertiesRepository,
    ContactAliasTools,
    ContactAliasesService,
    ContactAliasesRepository,
    ContactBatchesService,
    ContactBatchesRepository,
    ContactDuplicateTools,
    ContactDuplicatesService,
    ContactDuplicatesRepository,
    ContactMergeTools,
    ContactMergesService,
    ContactMergesRepository,
    ContactMergeRetention,
    SegmentFiltersService,
    NamedSegmentsRepository,
  ],
  exports: [ContactsService, ContactRulesService, ContactBatchesService, SegmentFiltersService],
})
export class ContactsModule {}
