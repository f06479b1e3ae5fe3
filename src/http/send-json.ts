import type { Response } from 'express';

/**
 * Sends JSON text, or nothing. Not with Express, which would add an ETag and a charset, answer 304 to what is no
 * document, and take several times as long.
 */
export function sendJson(response: Response, status: number, body: string | Buffer = ''): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json');
  response.setHeader('Cache-Control', 'no-store');
  response.end(body);
}
