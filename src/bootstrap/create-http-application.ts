import type { DynamicModule, LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ExpressServerAdapter } from '../http/express-server.adapter.js';
import { ProblemFilter } from '../http/problem.filter.js';
import { securityHeaders } from '../http/security-headers.js';
import {
  NO_RUN,
  NO_WEBHOOK,
  refuseMalformedPath,
  RESUME_PATH,
  WEBHOOK_PATH,
} from '../workflows/webhooks/malformed-webhook-path.js';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
// Longer than the 60 s of usual proxies: whoever closes first must be the one that sends the next request, or that
// request is lost in between.
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/**
 * Makes the application, the same way for the service, its tests and its bench. No body parser: each edge reads its own
 * bytes.
 */
export async function createHttpApplication(
  module: DynamicModule,
  logger: LoggerService,
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(module, new ExpressServerAdapter(), {
    logger,
    bodyParser: false,
    abortOnError: false,
  });
  app.disable('x-powered-by');
  app.set('etag', false);
  // Express would build objects out of `a[b]=c`; no query string of ours holds any.
  app.set('query parser', 'simple');
  app.use(securityHeaders());
  app.use(`/${WEBHOOK_PATH}`, refuseMalformedPath(NO_WEBHOOK));
  app.use(`/${RESUME_PATH}`, refuseMalformedPath(NO_RUN));
  app.useGlobalFilters(new ProblemFilter());
  const server = app.getHttpServer();
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  return app;
}
