import { Global, Module } from '@nestjs/common';
import { OriginGuard } from './origin.guard.js';
import { Origins } from './origins.js';
import { RateLimiter } from './rate-limiter.js';

/** Provides the check of origins and the rate limits to all HTTP edges. */
@Global()
@Module({
  providers: [OriginGuard, Origins, RateLimiter],
  exports: [OriginGuard, Origins, RateLimiter],
})
export class HttpModule {}
