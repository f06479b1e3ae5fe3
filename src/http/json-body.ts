import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { parseJson } from './parse-json.js';
import { readJsonBody } from './read-body.js';

/** Middleware that reads a JSON body, if there is one, with the same bounds as every other edge. */
export function jsonBody(limitBytes: number): RequestHandler {
  return (request: Request, _response: Response, next: NextFunction) => {
    const { 'content-length': length, 'transfer-encoding': transfer } = request.headers;
    if (transfer === undefined && (length === undefined || length === '0')) {
      next();
      return;
    }
    readJsonBody(request, limitBytes)
      .then((body) => {
        request.body = parseJson(body);
        next();
      })
      .catch(next);
  };
}
