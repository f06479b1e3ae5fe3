import type { DynamicModule, LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import type { Express, RequestHandler } from 'express';
import helmet from 'helmet';
import { IncomingMessage, ServerResponse, createServer } from 'node:http';
import { Socket } from 'node:net';
import { ProblemFilter } from '../http/problem.filter.js';
import {
  NO_RUN,
  NO_WEBHOOK,
  RESUME_PATH,
  WEBHOOK_PATH,
  refuseMalformedPath,
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

/**
 * Sets the headers of Helmet. As we use it, they are the same for every response, so they are asked for once; its chain
 * of functions would take longer than most of what follows it.
 */
export function securityHeaders(): RequestHandler {
  const request = new IncomingMessage(new Socket());
  const sample = new ServerResponse(request);
  helmet()(request, sample, (error) => {
    if (error) throw error;
  });
  const headers = Object.entries(sample.getHeaders()) as [string, string][];
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}

/**
 * Express over requests and responses that have its prototypes from the beginning. By itself it changes those of every
 * request; V8 then takes the request for alive until all of the heap is collected, which costs more than Express does.
 */
export class ExpressServerAdapter extends ExpressAdapter {
  /** Plain HTTP, whatever the options: TLS ends before this process. */
  override initHttpServer(): void {
    const express = this.getInstance<Express>();
    class Request extends IncomingMessage {}
    class Response<R extends IncomingMessage> extends ServerResponse<R> {}
    Object.setPrototypeOf(Request.prototype, express.request);
    Object.setPrototypeOf(Response.prototype, express.response);
    // What Express gives to each of them; it changes nothing where they have it.
    Object.assign(express, { request: Request.prototype, response: Response.prototype });
    const options = { IncomingMessage: Request, ServerResponse: Response };
    this.httpServer = createServer(options, express);
  }
}
