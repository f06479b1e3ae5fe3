import { escapeHtml } from '../text/escape-html.js';

const STYLE =
  'body{margin:16px;background:#fff;color:#111;font:15px/1.5 system-ui,sans-serif;' +
  'white-space:pre-wrap;overflow-wrap:anywhere}';

/** Returns a page that shows the text of a message. Nothing of it becomes markup, and addresses in it are no links. */
export function previewPage(title: string, text: string): string {
  return (
    `<!doctype html><html><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>` +
    `<style>${STYLE}</style></head><body dir="auto">${escapeHtml(text)}</body></html>`
  );
}
