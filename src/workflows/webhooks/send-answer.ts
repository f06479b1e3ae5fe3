import type { Response } from 'express';
import { ANSWER_TYPES, type WebhookAnswer } from '../definitions/webhook-answer.js';

/**
 * Sends the answer of a `respond` step. Its body has the origin of the dashboard, so a browser must not run scripts in
 * it or treat it as another type.
 */
export function sendAnswer(
  response: Response,
  { status, type, headers, body }: WebhookAnswer,
): void {
  response.statusCode = status;
  response.setHeader('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('Content-Security-Policy', "sandbox; default-src 'none'");
  response.setHeader('X-Content-Type-Options', 'nosniff');
  if (body !== '') response.setHeader('Content-Type', ANSWER_TYPES[type]);
  response.end(body);
}
