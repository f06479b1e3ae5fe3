import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

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
