import type { Response } from 'express';
import { sendHtmlPage } from '../http/html-page.js';
import type { Language } from '../http/page-language.js';
import { escapeHtml } from '../text/escape-html.js';
import type { PageTexts } from './page-texts.js';

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

/** Sends a page for a contact. */
export function sendPage(response: Response, page: PermissionPage): void {
  const { status = 200, language, title } = page;
  sendHtmlPage(response, { status, language, title, body: render(page) });
}

/**
 * Returns the page for a link that is malformed or forged, or whose contact or message no longer exists. The page does
 * not say which of these is true.
 */
export function notFoundPage(language: Language, { notFound }: PageTexts): PermissionPage {
  return { status: 404, language, title: notFound };
}

function render(page: PermissionPage): string {
  const { text, result, link } = page;
  const parts = [
    ...(result === undefined ? [] : [`<p role="status">${escapeHtml(result)}</p>`]),
    ...(text === undefined ? [] : [`<p>${escapeHtml(text)}</p>`]),
    form(page),
    ...(link ? [`<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a></p>`] : []),
  ];
  return parts.join('');
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
