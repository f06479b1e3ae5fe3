// Defines a module with two tools whose effects the checker counts. One creates a contact, and only the run journal
// prevents a second contact. The other calls an external system. This file is not compiled, so it calls decorators as
// functions.
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Module } from '@nestjs/common';
import { IsBoolean, IsOptional, IsString } from 'class-validator';
import {
  AppError,
  ContactsModule,
  ContactsService,
  Tool,
} from '../../dist/src/bootstrap/platform.js';

class EffectInput {}
apply(EffectInput, 'subject', IsString());
apply(EffectInput, 'hold', IsOptional(), IsBoolean());
apply(EffectInput, 'idempotency_key', IsOptional(), IsString());

class EffectResult {}
apply(EffectResult, 'done', IsBoolean());

/** Returns a module whose tools leave a trace at the sink or in the table of contacts. */
export function sinkModule(sinkUrl) {
  class SinkTools {
    constructor(contacts) {
      this.contacts = contacts;
    }

    /**
     * Creates a new contact at each call, so that a repeated effect is visible as a second contact with the same name.
     */
    async effect({ subject }, { organizationId }) {
      const contact = { firstName: subject, externalId: randomUUID() };
      await this.contacts.create(organizationId, contact, 'error', 'workflow');
      return { done: true };
    }

    async call({ subject, hold, idempotency_key: key }, { signal }) {
      const response = await fetch(`${sinkUrl}/effect`, {
        method: 'POST',
        headers: key === undefined ? {} : { 'Idempotency-Key': key },
        body: JSON.stringify({ subject, hold }),
        signal,
      }).catch((cause) => {
        throw new AppError('unavailable', 'The sink did not respond.', { cause });
      });
      await response.arrayBuffer();
      return { done: true };
    }
  }
  Inject(ContactsService)(SinkTools, undefined, 0);
  Injectable()(SinkTools);
  const shared = { input: EffectInput, output: EffectResult };
  declare(SinkTools, 'effect', {
    ...shared,
    name: 'sink_effect',
    title: 'Internal effect',
    description: 'Creates a contact.',
  });
  declare(SinkTools, 'call', {
    ...shared,
    name: 'sink_call',
    title: 'External effect',
    description: 'Calls the sink.',
    external: true,
  });
  class SinkModule {}
  Module({ imports: [ContactsModule], providers: [SinkTools] })(SinkModule);
  return SinkModule;
}

function apply(type, property, ...decorators) {
  for (const decorator of decorators.toReversed()) decorator(type.prototype, property);
}

function declare(type, method, options) {
  const descriptor = Object.getOwnPropertyDescriptor(type.prototype, method);
  Tool(options)(type.prototype, method, descriptor);
}
