import { Module } from '@nestjs/common';
import { QuotaWorker } from './quota.worker.js';

@Module({ providers: [QuotaWorker] })
export class QuotasModule {}
