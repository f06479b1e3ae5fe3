import { Controller, Get, Logger, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AppError } from '../errors/app-error.js';
import { type DashboardFile, findDashboard } from './dashboard-files.js';
import { isPagePath } from './dashboard-paths.js';

/** Nothing but own files, no inline code and style, and no text that becomes HTML (ADR 25). */
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
// The names of these files have the hash of their content.
const IMMUTABLE = 'public, max-age=31536000, immutable';
const CHECKED_EACH_TIME = 'no-cache';

/** Serves the built dashboard. Its module is the last one, so every other route comes first. */
@Controller()
export class DashboardController {
  private readonly files = findDashboard();

  constructor() {
    if (this.files) return;
    new Logger('Dashboard').warn('The dashboard has not been built. Run: npm run build');
  }

  @Get(['/', '*path'])
  async get(@Req() request: Request, @Res() response: Response): Promise<void> {
    const file = this.files && this.find(request);
    if (!this.files || !file) throw new AppError('not_found', 'There is nothing here.');
    response
      .setHeader('Content-Type', file.type)
      .setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY)
      .setHeader('X-Frame-Options', 'DENY')
      .setHeader('Cache-Control', file.path.startsWith('/assets/') ? IMMUTABLE : CHECKED_EACH_TIME)
      // The page depends on Accept too: an unknown path answers other clients with 404.
      .setHeader('Vary', 'Accept, Accept-Encoding');
    const encoding = file.encodings.find((each) => request.acceptsEncodings(each) === each);
    const tag = `"${file.hash}${encoding ? `-${encoding}` : ''}"`;
    response.setHeader('ETag', tag);
    if (request.headers['if-none-match']?.includes(tag)) {
      response.status(304).end();
      return;
    }
    const content = await this.files.read(file, encoding);
    if (encoding) response.setHeader('Content-Encoding', encoding);
    response.setHeader('Content-Length', content.length).end(content);
  }

  /** Returns the file of this path. A browser that opens any other address of a person gets the page. */
  private find(request: Request): DashboardFile | undefined {
    const file = this.files!.find(request.path);
    if (file) return file;
    const isOpened = request.path === '/' || request.headers.accept?.includes('text/html') === true;
    return isOpened && isPagePath(request.path) ? this.files!.page : undefined;
  }
}
