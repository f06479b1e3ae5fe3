import { Global, Module } from '@nestjs/common';
import { SecurityLog } from './security-log.js';

/** Provides the log of security events to everything that refuses requests. */
@Global()
@Module({ providers: [SecurityLog], exports: [SecurityLog] })
export class SecurityModule {}
