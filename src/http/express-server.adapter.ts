import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express } from 'express';

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
