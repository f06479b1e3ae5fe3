import { defineTexts } from './define-texts.ts';

/** The texts about the providers that sign the deliveries to a webhook. */
export const sendersTexts = defineTexts(
  {
    title: 'Who signs',
    about:
      'Each provider has its own kind of signature. Choose yours, and enter the secret that it shows.',
    signature: 'Signature',
    own: 'Of Switchboard, or Standard Webhooks',
    signedBy: (provider: string) => `Deliveries must have the signature of ${provider}.`,
    secret: 'Secret of the provider',
    kept: 'Leave it empty to keep the current secret. Nobody can read it again.',
    places: {
      github: 'The secret that you enter in Settings → Webhooks of the repository.',
      meta: 'The app secret: App settings → Basic.',
      shopify: 'The client secret of the app.',
      slack: 'The signing secret: Basic Information → App Credentials.',
      stripe: 'The signing secret of the endpoint, which begins with whsec_.',
      twilio: 'The auth token of the account.',
      typeform: 'The secret that you enter in Connect → Webhooks of the form.',
    },
    verifyToken: 'Verify token',
    verifyTokenAbout: 'A text that you choose and also enter at Meta. It protects nothing.',
    save: 'Save who signs',
    formats: {
      title: 'Accepted formats',
      about: 'JSON objects are always accepted. Forms and texts are converted to JSON objects.',
      names: {
        json: 'Lists and other JSON values, and types such as application/ld+json',
        form: 'Forms without files',
        multipart: 'Forms with files (only name, type and size of a file are kept)',
        text: 'Text and XML',
        gzip: 'Bodies compressed with gzip',
        get: 'GET requests: opening the address starts a run',
      },
      save: 'Save the formats',
    },
    headers: {
      title: 'Headers for expressions',
      about:
        'As trigger.headers, steps see content-type, user-agent, x-request-id and the headers that you name.',
      names: 'More headers',
      namesAbout:
        'For example x-github-event. Separate names with commas. Signatures and cookies stay hidden.',
      save: 'Save the headers',
    },
  },
  {
    title: 'Wer signiert',
    about:
      'Anbieter signieren auf ihre eigene Weise. Wählen Sie Ihren, und geben Sie das Geheimnis ein, das er zeigt.',
    signature: 'Signatur',
    own: 'Von Switchboard oder Standard Webhooks',
    signedBy: (provider: string) => `Zustellungen müssen die Signatur von ${provider} haben.`,
    secret: 'Geheimnis des Anbieters',
    kept: 'Leer lassen, um das jetzige Geheimnis zu behalten. Niemand kann es wieder lesen.',
    places: {
      github: 'Das Geheimnis, das Sie in Settings → Webhooks des Repositorys eingeben.',
      meta: 'Das App-Geheimnis: App settings → Basic.',
      shopify: 'Das Client Secret der App.',
      slack: 'Das Signing Secret: Basic Information → App Credentials.',
      stripe: 'Das Signing Secret des Endpunkts, das mit whsec_ beginnt.',
      twilio: 'Das Auth Token des Kontos.',
      typeform: 'Das Geheimnis, das Sie in Connect → Webhooks des Formulars eingeben.',
    },
    verifyToken: 'Verify Token',
    verifyTokenAbout: 'Ein Text, den Sie wählen und auch bei Meta eingeben. Er schützt nichts.',
    save: 'Speichern, wer signiert',
    formats: {
      title: 'Angenommene Formate',
      about:
        'JSON-Objekte werden immer angenommen. Formulare und Texte werden in JSON-Objekte umgewandelt.',
      names: {
        json: 'Listen und andere JSON-Werte, und Typen wie application/ld+json',
        form: 'Formulare ohne Dateien',
        multipart: 'Formulare mit Dateien (nur Name, Typ und Größe einer Datei bleiben)',
        text: 'Text und XML',
        gzip: 'Mit gzip komprimierte Inhalte',
        get: 'GET-Anfragen: Das Öffnen der Adresse startet einen Lauf',
      },
      save: 'Die Formate speichern',
    },
    headers: {
      title: 'Kopfzeilen für Ausdrücke',
      about:
        'Schritte sehen content-type, user-agent und x-request-id als trigger.headers, und die, die Sie nennen.',
      names: 'Weitere Kopfzeilen',
      namesAbout:
        'Zum Beispiel x-github-event. Trennen Sie Namen mit Kommas. Signaturen und Cookies bleiben verborgen.',
      save: 'Kopfzeilen speichern',
    },
  },
);
