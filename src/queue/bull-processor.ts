import { Process, Processor } from '@nestjs/bull';
import { Injectable, type Type } from '@nestjs/common';
import type { Job } from 'bull';
import { BullWakeUps, WAKE_UP_QUEUE, type WakeUpJob } from './bull-wake-ups.js';

/** The Bull processor of a worker. A class per concurrency, because a decorator is all that can tell Bull. */
export function bullProcessor(concurrency: number): Type {
  @Injectable()
  @Processor(WAKE_UP_QUEUE)
  class BullProcessor {
    constructor(private readonly wakeUps: BullWakeUps) {}

    @Process({ concurrency })
    process(job: Job<WakeUpJob>): Promise<void> {
      return this.wakeUps.hand(job.data);
    }
  }
  return BullProcessor;
}
