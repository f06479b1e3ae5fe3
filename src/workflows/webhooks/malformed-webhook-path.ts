import type { RequestHandler } from 'express';

/** Where webhooks are received; what follows is the id of a workflow. */
export const WEBHOOK_PATH = 'api/webhooks/workflow';
/** The one message of the one answer for every path that is no active webhook. */
export const NO_WEBHOOK = 'There is no active webhook here.';

/** Where runs that wait for it are told to go on; what follows is a token. */
export const RESUME_PATH = 'api/webhooks/resume';
/** The one message of the one answer for every path that is no resume URL of a run. */
export const NO_RUN = 'No run waits here.';

/**
 * Answers a path that is no valid percent-encoding (RFC 3986, section 2.1) like every other unknown one below the
 * address. The router fails on it before any controller, and so before the filter that knows the form of the answers.
 */
export function refuseMalformedPath(message: string): RequestHandler {
  return (request, response, next) => {
    try {
      decodeURIComponent(request.path);
    } catch {
      response
        .status(404)
        .setHeader('Cache-Control', 'no-store')
        .json({ ok: false, error: { code: 'not_found', message } });
      return;
    }
    next();
  };
}
