import type { Response } from 'express';

/**
 * Sends JSON text or an empty body. Does not use `send` of Express, because that adds an ETag and a charset, may answer
 * 304, and takes several times as long.
 */
export function sendJson(response: Response, status: number, body: string | Buffer = ''): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json');
  response.end(body);
}
