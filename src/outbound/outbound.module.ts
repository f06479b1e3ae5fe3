import { Module } from '@nestjs/common';
import { Env } from '../config/env.js';
import { FilesModule } from '../files/files.module.js';
import { HostResolver } from './host-resolver.js';
import { HttpRequestTools } from './http-request.tools.js';
import { OAuthTokens } from './o-auth-tokens.js';
import { OutboundClient } from './outbound-client.js';
import { OutboundRules } from './outbound-rules.js';
import { RequestSecretsService } from './request-secrets.service.js';
import { SecretsModule } from '../secrets/secrets.module.js';

/** Sends requests to URLs that organizations choose, but never into private networks. */
@Module({
  imports: [FilesModule, SecretsModule],
  providers: [
    {
      provide: OutboundClient,
      inject: [OutboundRules, HostResolver, Env],
      useFactory: (rules: OutboundRules, resolver: HostResolver, env: Env) =>
        new OutboundClient(rules, resolver, env.outboundProxyServer),
    },
    HttpRequestTools,
    OAuthTokens,
    RequestSecretsService,
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
