import { Global, Module } from '@nestjs/common';
import { OpenDownloads } from './open-downloads.js';
import { OriginGuard } from './origin.guard.js';
import { Origins } from './origins.js';
import { RateLimiter } from './rate-limiter.js';

/** Provides the check of origins, the rate limits and the limit of downloads to all HTTP edges. */
@Global()
@Module({
  providers: [OpenDownloads, OriginGuard, Origins, RateLimiter],
  exports: [OpenDownloads, OriginGuard, Origins, RateLimiter],
})
export class HttpModule {}
