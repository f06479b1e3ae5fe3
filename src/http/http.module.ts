import { Global, Module } from '@nestjs/common';
import { CallTurns } from './call-turns.js';
import { OpenDownloads } from './open-downloads.js';
import { OriginGuard } from './origin.guard.js';
import { Origins } from './origins.js';
import { RateLimiter } from './rate-limiter.js';

/**
 * Provides the checks and limits of all HTTP endpoints: the check of origins, the rate limits and the limit of
 * downloads. Also provides the turns in which organizations start their calls.
 */
@Global()
@Module({
  providers: [CallTurns, OpenDownloads, OriginGuard, Origins, RateLimiter],
  exports: [CallTurns, OpenDownloads, OriginGuard, Origins, RateLimiter],
})
export class HttpModule {}
