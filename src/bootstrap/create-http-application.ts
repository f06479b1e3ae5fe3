import type { DynamicModule, LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import type { Express, RequestHandler } from 'express';
import helmet from 'helmet';
import { IncomingMessage, type Server, ServerResponse, createServer } from 'node:http';
import { Socket } from 'node:net';
import { Env } from '../config/env.js';
import { serveDashboard } from '../dashboard/serve-dashboard.js';
import { BodyTimes } from '../http/body-times.js';
import { CallTurns } from '../http/call-turns.js';
import { limitPipelining } from '../http/limit-pipelining.js';
import { endUnread } from '../http/unread-responses.js';
import { refuseSeveralHosts } from '../http/one-host.js';
import { logRequests } from '../http/request-log.js';
import { ProblemFilter } from '../http/problem.filter.js';
import { noteConnections } from '../http/unused-connections.js';
import { PERMISSION_PATHS, refuseMalformedLink } from '../permission/refuse-malformed-link.js';
import {
  NO_RUN,
  NO_WEBHOOK,
  RESUME_PATH,
  WEBHOOK_PATH,
  refuseMalformedPath,
} from '../workflows/webhooks/webhook.js';

const HEADERS_TIMEOUT_MS = 10_000;
// The longest time for a whole request. The limits for the body of a request are shorter: see BodyTimes.
const REQUEST_TIMEOUT_MS = 2 * 60 * 60_000;
// The interval at which Node.js looks for requests that exceed the timeouts. With the default of 30 s, a slow client
// could take 40 s for its headers.
const TIMEOUT_CHECK_MS = 1000;
// The keep-alive timeout is longer than the 60 s of most proxies. If the server closed first, a proxy could lose a
// request.
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/**
 * The number of new connections that may wait until the process accepts them. With the default of 511, a client that
 * opens thousands of connections at the same time would delay other clients: the kernel drops their connections, and
 * they try again after 1 s, then 2 s, then 4 s. The kernel may lower this number (`net.core.somaxconn`).
 */
const BACKLOG = 8192;

/**
 * Creates the application in the same way for the service, its tests and its benchmarks. Each route parses its own
 * bodies.
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
  // The default parser builds objects from `a[b]=c`. No route needs that.
  app.set('query parser', 'simple');
  // With this setting, Express decides which address is the address of the client. Without trusted proxies, it is the
  // address of the connection.
  const env = app.get(Env);
  app.set('trust proxy', env.trustedProxyNetworks);
  if (env.runsWeb && env.trustedProxies === '' && env.publicUrl?.startsWith('https:')) {
    logger.warn(
      'PUBLIC_URL is https, so there is a proxy. Set TRUSTED_PROXIES to its address. Until then all people share the limits of one address.',
    );
  }
  if (env.logsWork) app.use(logRequests());
  app.use(securityHeaders());
  app.use(refuseSeveralHosts);
  app.use(`/${WEBHOOK_PATH}`, refuseMalformedPath(NO_WEBHOOK));
  app.use(`/${RESUME_PATH}`, refuseMalformedPath(NO_RUN));
  app.use(PERMISSION_PATHS, refuseMalformedLink);
  app.useGlobalFilters(new ProblemFilter());
  const server = app.getHttpServer();
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  const turns = app.get(CallTurns);
  server.on('connection', () => turns.noteConnection());
  return app;
}

/**
 * Returns middleware that sets the headers of Helmet. Helmet runs only once, because for each request it would take
 * longer than most other work. No response may be cached, whatever its status, because nearly all belong to a session
 * or a key.
 */
function securityHeaders(): RequestHandler {
  const request = new IncomingMessage(new Socket());
  const sample = new ServerResponse(request);
  helmet()(request, sample, (error) => {
    if (error) throw error;
  });
  sample.setHeader('Cache-Control', 'no-store');
  const headers = Object.entries(sample.getHeaders()) as [string, string][];
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}

/**
 * Gives requests the prototypes of Express from the beginning (ADR 17): V8 frees an object with a changed prototype
 * only when it collects the whole heap.
 */
class ExpressServerAdapter extends ExpressAdapter {
  /** Creates a server without TLS, whatever the options. A proxy in front of this process ends TLS. */
  override initHttpServer(): void {
    const express = this.getInstance<Express>();
    class Request extends IncomingMessage {}
    class Response<R extends IncomingMessage> extends ServerResponse<R> {}
    Object.setPrototypeOf(Request.prototype, express.request);
    Object.setPrototypeOf(Response.prototype, express.response);
    // Express still sets these prototypes on each request, but this changes nothing.
    Object.assign(express, { request: Request.prototype, response: Response.prototype });
    const options = {
      IncomingMessage: Request,
      ServerResponse: Response,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    };
    const times = new BodyTimes();
    const server = createServer(options, times.watching(limitPipelining(endUnread(express))));
    times.attach(server);
    this.httpServer = server;
    noteConnections(this.httpServer);
  }

  /** Listens as Node.js does, but with a longer queue of new connections. */
  override listen(port: string | number, ...args: (string | (() => void) | undefined)[]): Server {
    const [host] = args.filter((arg) => typeof arg === 'string');
    const [callback] = args.filter((arg) => typeof arg === 'function');
    return this.httpServer.listen({ port: Number(port), host, backlog: BACKLOG }, callback);
  }

  /**
   * Adds the dashboard after all routes. Nest calls this method after it has registered every route of every module,
   * including the modules of teams.
   */
  override setNotFoundHandler(handler: RequestHandler, prefix?: string): unknown {
    this.use(serveDashboard());
    return super.setNotFoundHandler(handler, prefix);
  }
}
