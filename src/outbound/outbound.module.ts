import { Module } from '@nestjs/common';
import { Env } from '../config/env.js';
import { HostResolver } from './host-resolver.js';
import { HttpRequestTools } from './http-request.tools.js';
import { OutboundClient } from './outbound-client.js';
import { OutboundRules } from './outbound-rules.js';

/** Requests to addresses that organizations choose, kept away from the networks that this process can see. */
@Module({
  providers: [
    OutboundClient,
    HttpRequestTools,
    {
      provide: OutboundRules,
      inject: [Env],
      useFactory: ({ outboundExceptions }: Env) => new OutboundRules(outboundExceptions),
    },
    { provide: HostResolver, useFactory: () => new HostResolver() },
  ],
  exports: [OutboundClient],
})
export class OutboundModule {}
