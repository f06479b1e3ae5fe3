import type { Request, RequestHandler, Response } from 'express';
import { shortenList } from '../text/shorten-list.js';
import { type DashboardFile, type DashboardFiles, findDashboard } from './dashboard-files.js';
import { isPagePath } from './dashboard-paths.js';

/**
 * The policy that allows files of this server only: no inline code and style, and no text that becomes HTML (ADR 25).
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');
// The name of each of these files contains the hash of its content.
const IMMUTABLE = 'public, max-age=31536000, immutable';
const CHECKED_EACH_TIME = 'no-cache';

/**
 * Returns middleware that serves the built dashboard. Add this middleware after all routes: a browser gets the page for
 * every path that no earlier route has answered. Without a built dashboard, the middleware passes every request on.
 */
export function serveDashboard(): RequestHandler {
  const files = findDashboard();
  return (request, response, next) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const file = isRead && files ? find(files, request) : undefined;
    if (files && file) answer(files, file, request, response).catch(next);
    else next();
  };
}

/** Returns the file of this path. For every other path of the dashboard, a browser gets the page. */
function find(files: DashboardFiles, request: Request): DashboardFile | undefined {
  const file = files.find(request.path);
  if (file) return file;
  const isOpened = request.path === '/' || request.headers.accept?.includes('text/html') === true;
  return isOpened && isPagePath(request.path) ? files.page : undefined;
}

async function answer(
  files: DashboardFiles,
  file: DashboardFile,
  request: Request,
  response: Response,
): Promise<void> {
  const { headers } = request;
  const accepted = headers['accept-encoding'];
  if (accepted !== undefined) headers['accept-encoding'] = shortenList(accepted);
  const encoding = file.encodings.find((each) => request.acceptsEncodings(each) === each);
  const tag = `"${file.hash}${encoding ? `-${encoding}` : ''}"`;
  const content = headers['if-none-match']?.includes(tag)
    ? undefined
    : await files.read(file, encoding);
  response
    .setHeader('Content-Type', file.type)
    .setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY)
    .setHeader('X-Frame-Options', 'DENY')
    .setHeader('Cache-Control', file.path.startsWith('/assets/') ? IMMUTABLE : CHECKED_EACH_TIME)
    // The response depends on Accept too: for an unknown path, a browser gets the page, and other clients get 404.
    .setHeader('Vary', 'Accept, Accept-Encoding')
    .setHeader('ETag', tag);
  if (!content) {
    response.status(304).end();
    return;
  }
  if (encoding) response.setHeader('Content-Encoding', encoding);
  response.setHeader('Content-Length', content.length).end(content);
}
