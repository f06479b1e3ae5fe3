import type { Request, Response } from 'express';
import { sendHtmlPage } from '../../http/html-page.js';
import { shortenList } from '../../text/shorten-list.js';
import { type Language, languageOfRequest } from '../../http/page-language.js';

/** The results of a call of a resume URL, as a person reads them. */
const TITLES = {
  stored: {
    en: 'Thank you. Your answer was recorded.',
    de: 'Danke. Ihre Antwort wurde gespeichert.',
    fr: 'Merci. Votre réponse a été enregistrée.',
    es: 'Gracias. Su respuesta se ha guardado.',
    pt: 'Obrigado. A sua resposta foi guardada.',
  },
  duplicate: {
    en: 'An answer was recorded before. It stays as it is.',
    de: 'Es gibt schon eine Antwort. Sie bleibt, wie sie ist.',
    fr: 'Une réponse a déjà été enregistrée. Elle reste inchangée.',
    es: 'Ya se guardó una respuesta antes. No cambia.',
    pt: 'Já foi guardada uma resposta antes. Ela não muda.',
  },
  over: {
    en: 'It is too late to answer.',
    de: 'Für eine Antwort ist es zu spät.',
    fr: 'Il est trop tard pour répondre.',
    es: 'Es demasiado tarde para responder.',
    pt: 'É tarde demais para responder.',
  },
} satisfies Record<string, Record<Language, string>>;

/** Returns true when the client prefers HTML: a browser sent the request, and shows the response to a person. */
export function wantsPage(request: Request): boolean {
  const { headers } = request;
  if (headers.accept !== undefined) headers.accept = shortenList(headers.accept);
  return request.accepts(['json', 'html']) === 'html';
}

/** Sends the result of a call of a resume URL as a page, in the language of the browser. */
export function sendResumePage(
  request: Request,
  response: Response,
  status: number,
  result: keyof typeof TITLES,
): void {
  const language = languageOfRequest(request);
  sendHtmlPage(response, { status, language, title: TITLES[result][language] });
}
