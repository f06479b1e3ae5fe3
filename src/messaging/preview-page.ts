import type { Response } from 'express';
import { escapeHtml } from '../text/escape-html.js';

const STYLE =
  'body{margin:16px;background:#fff;color:#111;font:15px/1.5 system-ui,sans-serif;' +
  'white-space:pre-wrap;overflow-wrap:anywhere}';

/**
 * Returns a page that shows the text of a message. No part of the text becomes markup, and addresses in it are not
 * links.
 */
export function previewPage(title: string, text: string): string {
  return (
    `<!doctype html><html><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>` +
    `<style>${STYLE}</style></head><body dir="auto">${escapeHtml(text)}</body></html>`
  );
}

/**
 * The policy that allows inline styles and images that are part of the message. `sandbox` gives the page an origin
 * of its own and stops scripts, forms and links that open windows. This holds even when a browser opens the
 * address outside of the frame.
 */
const CONTENT_SECURITY_POLICY = [
  'sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** Sends a page whose scripts, forms and links have no effect. */
export function sendPreview(response: Response, html: string): void {
  response
    .setHeader('Content-Type', 'text/html; charset=utf-8')
    .setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY)
    .setHeader('X-DNS-Prefetch-Control', 'off')
    .end(html);
}
