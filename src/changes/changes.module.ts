import { Global, Module } from '@nestjs/common';
import { ChangeFeed } from './change-feed.js';

/** Provides the feed that tells processes about changes made by other processes. */
@Global()
@Module({ providers: [ChangeFeed], exports: [ChangeFeed] })
export class ChangesModule {}
