import { Global, Module } from '@nestjs/common';
import { CallTurns } from './call-turns.js';
import { OpenDownloads } from './open-downloads.js';
import { OriginGuard } from './origin.guard.js';
import { Origins } from './origins.js';
import { RateLimiter } from './rate-limiter.js';

/**
 * Provides all HTTP endpoints with the check of origins, the rate limits and the limit of downloads, and with the turns
 * that organizations take to start their calls.
 */
@Global()
@Module({
  providers: [CallTurns, OpenDownloads, OriginGuard, Origins, RateLimiter],
  exports: [CallTurns, OpenDownloads, OriginGuard, Origins, RateLimiter],
})
export class HttpModule {}
