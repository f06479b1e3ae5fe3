import { Module } from '@nestjs/common';
import { DealLimit } from './deal-limit.js';
import { DealTools } from './deal.tools.js';
import { DealsRepository } from './deals.repository.js';
import { DealsService } from './deals.service.js';

@Module({ providers: [DealTools, DealsService, DealsRepository, DealLimit] })
export class DealsModule {}
