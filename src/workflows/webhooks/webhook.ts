import type { RequestHandler, Response } from 'express';
import { AppError, type AppErrorCode, HTTP_STATUS } from '../../errors/app-error.js';
import { MAX_WAIT, type StoredWebhookOptions } from '../definitions/webhook-options.js';

/** The path that receives webhooks. The id of the workflow follows. */
export const WEBHOOK_PATH = 'api/webhooks/workflow';
/** The path of resume URLs. A token follows. */
export const RESUME_PATH = 'api/webhooks/resume';
export const NO_WEBHOOK = 'There is no active webhook here.';
export const NO_RUN = 'No run waits here.';

/** The webhook of a workflow, with the data for checking deliveries and starting their runs. */
export interface Webhook {
  readonly workflowId: string;
  readonly organizationId: string;
  /** The revision, which every change of the workflow changes. */
  readonly revision: string;
  /** The time of `performance.now()` immediately before the look-up. */
  readonly lookedUpAt: number;
  readonly active: boolean;
  /** The valid secrets. If the list is empty, deliveries need no signature. */
  readonly secrets: readonly string[];
  /** The previous secrets, encrypted. `secrets` also contains the previous secrets that are still valid. */
  readonly previousSecrets: Buffer | null;
  readonly options: StoredWebhookOptions;
  /** True when the workflow has limits, which may delay its runs. */
  readonly isLimited: boolean;
  /** The condition of the trigger. A run starts only when it is true. */
  readonly condition: string | undefined;
}

/** Creates the same error for every id that does not belong to an active webhook. */
export function noWebhook(): AppError {
  return new AppError('not_found', NO_WEBHOOK);
}

/** Returns the HTTP status of an error in a response to a webhook. */
export function webhookStatus(code: AppErrorCode): number {
  // For a webhook, this code is thrown only for headers, and a wrong header is a bad request.
  return code === 'invalid_arguments' ? 400 : HTTP_STATUS[code];
}

/**
 * Returns the number of seconds that the sender waits for the end of the run. These are the `waitSeconds` of the
 * workflow, or fewer if the header `Prefer` (RFC 7240) asks for fewer. Without `waitSeconds` the result is 0, because
 * the response would show the outputs of steps.
 */
export function preferredWait(
  prefer: string | string[] | undefined,
  waitSeconds: number | undefined,
): number {
  if (waitSeconds === undefined) return 0;
  // SQL of a tool can store a longer time.
  const most = Math.min(waitSeconds, MAX_WAIT);
  const preferences = [prefer ?? []]
    .flat()
    .flatMap((header) => header.split(','))
    .map((one) => one.split(';', 1)[0]!.trim());
  const wait = preferences
    .map((preference) => /^wait\s*=\s*"?(\d{1,9})"?$/i.exec(preference)?.[1])
    .find((seconds) => seconds !== undefined);
  if (wait !== undefined) return Math.min(Number(wait), most);
  const isAsync = preferences.some((preference) => preference.toLowerCase() === 'respond-async');
  return isAsync ? 0 : most;
}

/**
 * Responds with 404 to a path with invalid percent-encoding (RFC 3986, section 2.1). The router fails on this path
 * before any controller, so the filter that writes webhook errors would never see it.
 */
export function refuseMalformedPath(message: string): RequestHandler {
  return (request, response, next) => {
    try {
      decodeURIComponent(request.path);
    } catch {
      sendError(response, 404, 'not_found', message);
      return;
    }
    next();
  };
}

export function sendError(response: Response, status: number, code: string, message: string): void {
  response.status(status).json({ ok: false, error: { code, message } });
}
