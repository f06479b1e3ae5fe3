import { defineTexts } from './define-texts.ts';

/** The texts of the fields of a step that answers the sender of a webhook. */
export const respondTexts = defineTexts(
  {
    status: 'Status',
    statusAbout: 'A number from 200 to 599, or an expression. Empty: 200.',
    type: 'Type of the body',
    types: { json: 'JSON', text: 'Text', xml: 'XML' },
    body: 'Body',
    bodyAbout: 'May contain expressions. The first answer of a run counts, and the run goes on.',
    xmlAbout: 'Write values as {{ trigger.payload.name | escape }}.',
    headers: 'Headers',
    headersAbout:
      'cache-control, retry-after, location (to redirect), and names that begin with x-.',
  },
  {
    status: 'Status',
    statusAbout: 'Eine Zahl von 200 bis 599 oder ein Ausdruck. Leer: 200.',
    type: 'Art des Inhalts',
    types: { json: 'JSON', text: 'Text', xml: 'XML' },
    body: 'Inhalt',
    bodyAbout:
      'Darf Ausdrücke enthalten. Die erste Antwort eines Laufs zählt, und er läuft weiter.',
    xmlAbout: 'Schreiben Sie Werte als {{ trigger.payload.name | escape }}.',
    headers: 'Kopfzeilen',
    headersAbout:
      'cache-control, retry-after, location (zum Weiterleiten) und Namen, die mit x- beginnen.',
  },
);
