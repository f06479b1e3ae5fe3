import { Global, Module } from '@nestjs/common';
import { DomainEvents } from './domain-events.js';

/** Provides domain events, so that features can react to each other without imports between them. */
@Global()
@Module({ providers: [DomainEvents], exports: [DomainEvents] })
export class EventsModule {}
