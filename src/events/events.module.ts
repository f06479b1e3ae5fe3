import { Global, Module } from '@nestjs/common';
import { DomainEvents } from './domain-events.js';

/** How features learn of each other's events without knowing each other. */
@Global()
@Module({ providers: [DomainEvents], exports: [DomainEvents] })
export class EventsModule {}
