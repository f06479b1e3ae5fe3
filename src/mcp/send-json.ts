import type { Response } from 'express';
import type { JsonText } from './method.js';

/**
 * Sends JSON text, or nothing. Not with Express, which would add an ETag and a charset, and answer 304 to what is no
 * document.
 */
export function sendJson(response: Response, status: number, body: JsonText = ''): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json');
  response.setHeader('Cache-Control', 'no-store');
  response.end(body);
}
