import { Global, Module } from '@nestjs/common';
import { OriginGuard } from './origin.guard.js';
import { Origins } from './origins.js';
import { RateLimiter } from './rate-limiter.js';

/** Provides what all HTTP edges share: the check of origins and the rate limits. */
@Global()
@Module({
  providers: [OriginGuard, Origins, RateLimiter],
  exports: [OriginGuard, Origins, RateLimiter],
})
export class HttpModule {}
