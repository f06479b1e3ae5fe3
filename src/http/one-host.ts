import type { NextFunction, Request, Response } from 'express';

/**
 * Answers 400 to a request with several Host headers (RFC 9112, section 3.2). Node.js would use the first header, but a
 * proxy in front of Node.js may have chosen the receiver by another header.
 */
export function refuseSeveralHosts(request: Request, response: Response, next: NextFunction): void {
  if (countHosts(request.rawHeaders) < 2) {
    next();
    return;
  }
  const problem = {
    type: 'about:blank',
    title: 'invalid_request',
    status: 400,
    code: 'invalid_request',
    detail: 'Send exactly one Host header.',
  };
  response
    .status(400)
    .setHeader('Connection', 'close')
    .setHeader('Content-Type', 'application/problem+json')
    .end(JSON.stringify(problem));
}

/**
 * Returns the number of Host headers. `rawHeaders` has names and values in turn, including repeated headers, which
 * `headers` leaves out.
 */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    // The length is compared first, because this is fast and every header of every request is compared here.
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}
