import type { Response } from 'express';
import { escapeHtml } from '../text/escape-html.js';
import type { Language, PageTexts } from './page-texts.js';

/** The policy that allows inline styles and forms to this server. Nothing else loads, runs or frames the page. */
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

/** One topic on the page of preferences. */
export interface TopicChoice {
  name: string;
  title: string;
  description: string | null;
  isChosen: boolean;
  isPending: boolean;
}

/** A page. All texts are plain and become no markup. */
export interface PermissionPage {
  status?: number;
  language: Language;
  title: string;
  text?: string;
  /** The result of the last action, which screen readers announce. */
  result?: string;
  /** A button that sends POST to the address of the page. */
  button?: string;
  choices?: readonly TopicChoice[];
  unconfirmed?: string;
  link?: { href: string; text: string };
}

/** Sends a page that works without scripts, and that no browser, proxy or search engine keeps. */
export function sendPage(response: Response, page: PermissionPage): void {
  response
    .status(page.status ?? 200)
    .setHeader('Content-Type', 'text/html; charset=utf-8')
    .setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY)
    .setHeader('X-Robots-Tag', 'noindex, nofollow')
    .end(render(page));
}

/**
 * Returns the page for a link that is malformed or forged, or whose contact or message no longer exists. The page does
 * not say which of these is true.
 */
export function notFoundPage(language: Language, { notFound }: PageTexts): PermissionPage {
  return { status: 404, language, title: notFound };
}

function render(page: PermissionPage): string {
  const { language, title, text, result, link } = page;
  const parts = [
    `<h1>${escapeHtml(title)}</h1>`,
    ...(result === undefined ? [] : [`<p role="status">${escapeHtml(result)}</p>`]),
    ...(text === undefined ? [] : [`<p>${escapeHtml(text)}</p>`]),
    form(page),
    ...(link ? [`<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a></p>`] : []),
  ];
  return (
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>` +
    `<meta name="viewport" content="width=device-width,initial-scale=1"><style>${STYLE}</style></head>` +
    `<body><main>${parts.join('')}</main></body></html>`
  );
}

function form({ title, button, choices = [], unconfirmed = '' }: PermissionPage): string {
  if (button === undefined) return '';
  const rows = choices.map((choice, index) => row(choice, index, unconfirmed)).join('');
  const fields = rows && `<fieldset><legend hidden>${escapeHtml(title)}</legend>${rows}</fieldset>`;
  return `<form method="post">${fields}<p><button type="submit">${escapeHtml(button)}</button></p></form>`;
}

/**
 * Returns the HTML of a topic. The field `shown` lists the topics that the person saw, so that a topic that is newer
 * than the page stays as it is.
 */
function row(
  { name, title, description, isChosen, isPending }: TopicChoice,
  index: number,
  unconfirmed: string,
): string {
  const about = [description ?? '', isPending ? unconfirmed : ''].filter(Boolean).join(' ');
  const described = about && ` aria-describedby="about${index}"`;
  const value = escapeHtml(name);
  return (
    `<input type="hidden" name="shown" value="${value}">` +
    `<label><input type="checkbox" name="topic" value="${value}"${isChosen ? ' checked' : ''}${described}>` +
    `${escapeHtml(title)}</label>` +
    (about && `<small id="about${index}">${escapeHtml(about)}</small>`)
  );
}
