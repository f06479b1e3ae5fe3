import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { parseJson } from './parse-json.js';
import { readJsonBody } from './read-body.js';

/** The JSON body of a request, or undefined when it has none, with the same bounds as every other edge. */
export async function readBodyIfAny(request: Request, limitBytes: number): Promise<unknown> {
  const { 'content-length': length, 'transfer-encoding': transfer } = request.headers;
  if (transfer === undefined && (length === undefined || length === '0')) return undefined;
  return parseJson(await readJsonBody(request, limitBytes));
}

/** Middleware for routes whose guards need the body: signing in, say. Others read it once their guards agree. */
export function jsonBody(limitBytes: number): RequestHandler {
  return (request: Request, _response: Response, next: NextFunction) => {
    readBodyIfAny(request, limitBytes)
      .then((body) => {
        request.body = body;
        next();
      })
      .catch(next);
  };
}
