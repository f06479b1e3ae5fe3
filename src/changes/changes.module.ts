import { Global, Module } from '@nestjs/common';
import { ChangeFeed } from './change-feed.js';

/** Provides the feed by which processes learn of the changes of other processes. */
@Global()
@Module({ providers: [ChangeFeed], exports: [ChangeFeed] })
export class ChangesModule {}
