import type { Response } from 'express';
import { escapeHtml } from '../text/escape-html.js';
import type { Language } from './page-language.js';

/**
 * The policy that allows inline styles, and forms that are sent to this server. The page can load and run nothing else,
 * and no other page can show it in a frame.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');
const STYLE =
  ':root{color-scheme:light dark}body{margin:0 auto;max-width:34rem;padding:2rem 1rem;font:17px/1.5 system-ui,sans-serif}' +
  'h1{font-size:1.4rem}fieldset{border:0;margin:0;padding:0}label{display:block;padding:.5rem 0}' +
  'small{display:block;margin-inline-start:1.9rem;opacity:.8}input{width:1.1rem;height:1.1rem;margin-inline-end:.6rem}' +
  'button{font:inherit;padding:.6rem 1.2rem;cursor:pointer}:focus-visible{outline:3px solid;outline-offset:2px}';

/** A page for a person who is not signed in. */
export interface HtmlPage {
  status: number;
  language: Language;
  /** The title as plain text, which is the heading too. */
  title: string;
  /** The HTML that follows the heading. */
  body?: string;
}

/** Sends a page that works without scripts, and that no browser, proxy or search engine keeps. */
export function sendHtmlPage(response: Response, page: HtmlPage): void {
  response
    .status(page.status)
    .setHeader('Content-Type', 'text/html; charset=utf-8')
    .setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY)
    .setHeader('X-Robots-Tag', 'noindex, nofollow')
    .end(render(page));
}

function render({ language, title, body = '' }: HtmlPage): string {
  return (
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>` +
    `<meta name="viewport" content="width=device-width,initial-scale=1"><style>${STYLE}</style></head>` +
    `<body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>`
  );
}
