import { Logger } from '@nestjs/common';
import type { RequestHandler } from 'express';

/** The beginning of the paths that health probes request often. Log lines about these paths have the level debug. */
const PROBES = '/health';

/**
 * Returns middleware that logs a line for each request when its response ends. The line has the route and not the path,
 * because paths contain the tokens of resume URLs and the ids of webhooks.
 */
export function logRequests(): RequestHandler {
  const logger = new Logger('Http');
  return (request, response, next) => {
    const beganAt = performance.now();
    response.once('close', () => {
      const route = (request.route as { path?: string } | undefined)?.path ?? '(no route)';
      const line = {
        method: request.method,
        route,
        status: response.writableFinished ? response.statusCode : 'aborted',
        ms: Math.round((performance.now() - beganAt) * 10) / 10,
        request_id: response.getHeader('X-Request-Id'),
      };
      if (route.startsWith(PROBES)) logger.debug(line);
      else logger.log(line);
    });
    next();
  };
}
