import type { NextFunction, Request, Response } from 'express';

/** Where webhooks are received; what follows is the id of a workflow. */
export const WEBHOOK_PATH = 'api/webhooks/workflow';
/** The one message of the one answer for every path that is no active webhook. */
export const NO_WEBHOOK = 'There is no active webhook here.';

/**
 * Answers a path that is no valid percent-encoding (RFC 3986, section 2.1) like every other unknown webhook. The
 * router fails on it before any controller, and so before the filter that knows the form of a webhook's answers.
 */
export function refuseMalformedWebhookPath(
  request: Request,
  response: Response,
  next: NextFunction,
): void {
  try {
    decodeURIComponent(request.path);
  } catch {
    response
      .status(404)
      .setHeader('Cache-Control', 'no-store')
      .json({ ok: false, error: { code: 'not_found', message: NO_WEBHOOK } });
    return;
  }
  next();
}
