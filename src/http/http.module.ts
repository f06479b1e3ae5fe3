import { Global, Module } from '@nestjs/common';
import { OriginGuard } from './origin.guard.js';
import { RateLimiter } from './rate-limiter.js';

/** What every HTTP edge shares. */
@Global()
@Module({ providers: [OriginGuard, RateLimiter], exports: [OriginGuard, RateLimiter] })
export class HttpModule {}
