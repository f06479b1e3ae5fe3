import { Module } from '@nestjs/common';
import { Env } from '../config/env.js';
import { HostResolver } from './host-resolver.js';
import { HttpRequestTools } from './http-request.tools.js';
import { OutboundClient } from './outbound-client.js';
import { OutboundRules } from './outbound-rules.js';

/** Sends requests to URLs that organizations choose, but never into private networks. */
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
