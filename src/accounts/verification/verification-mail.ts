import type { Request } from 'express';
import { preferredLanguage } from '../../http/page-language.js';
import type { Email } from '../../mail/email-channel.js';
import { newId } from '../../text/ids.js';

type Language = 'en' | 'de';

/**
 * The texts of the mail. They contain no text of the person who signed up, because that person may have used the
 * address of somebody else.
 */
const TEXTS = {
  en: {
    subject: 'Confirm your e-mail address',
    text: (baseUrl: string, link: string, hours: number) =>
      `An account was created at ${baseUrl} with this e-mail address.

If you created this account, open this link within ${hours} hours, sign in, and press the button:

${link}

If you did not create the account, ignore this mail. Nobody can confirm the address without this mail.
`,
  },
  de: {
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    text: (baseUrl: string, link: string, hours: number) =>
      `Auf ${baseUrl} wurde ein Konto mit dieser E-Mail-Adresse angelegt.

Wenn es Ihres ist, öffnen Sie diese Adresse innerhalb von ${hours} Stunden, melden sich an und drücken auf den Knopf:

${link}

Wenn nicht, beachten Sie diese Mail nicht. Ohne sie kann niemand die Adresse bestätigen.
`,
  },
} as const;

/**
 * Writes the mail with the link. The token is in the fragment of the link. Browsers send no fragment, so no log of
 * a server or proxy and no `Referer` contains the token.
 */
export function verificationMail(
  to: string,
  token: string,
  baseUrl: string,
  validHours: number,
  language: Language,
): Email {
  const { subject, text } = TEXTS[language];
  const link = `${baseUrl}/verify#${token}`;
  return {
    id: newId('mail'),
    to,
    subject,
    text: text(baseUrl, link, validHours),
    date: new Date(),
  };
}

/** Returns `de` if the browser prefers German to English (`Accept-Language`), and `en` otherwise. */
export function languageOf(request: Request): Language {
  return preferredLanguage(request, ['en', 'de']);
}
