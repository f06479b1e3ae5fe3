import type { RequestHandler } from 'express';
import { LINK_PATHS } from '../topics/permission-links.js';
import { languageOfRequest } from '../http/page-language.js';
import { PAGE_TEXTS } from './page-texts.js';
import { notFoundPage, sendPage } from './permission-page.js';

/** The paths of the pages for contacts, in the form that middleware accepts. */
export const PERMISSION_PATHS = Object.values(LINK_PATHS).map((path) => `/${path}`);

/**
 * Answers a path with invalid percent-encoding (RFC 3986, section 2.1) with the page for any wrong link. The router fails on
 * this path before the controller, so the filter of the pages would never see it.
 */
export const refuseMalformedLink: RequestHandler = (request, response, next) => {
  try {
    decodeURIComponent(request.path);
  } catch {
    const language = languageOfRequest(request);
    sendPage(response, notFoundPage(language, PAGE_TEXTS[language]));
    return;
  }
  next();
};
