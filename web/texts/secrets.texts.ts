import { defineTexts } from './define-texts.ts';

/** The texts of the page of secrets. */
export const secretsTexts = defineTexts(
  {
    title: 'Secrets',
    about:
      'Keys and passwords of other systems, for http_request steps. They are encrypted, and nobody can read them again.',
    none: 'There are no secrets yet',
    noneAbout:
      'A step uses a secret of the kind Value as {{ secrets.name }}, and names a secret of another kind as its credential.',
    add: 'New secret',
    change: (name: string) => `Change ${name}`,
    changeShort: 'Change',
    name: 'Name',
    nameAbout: 'Lowercase letters, digits and _. Steps use this name.',
    kind: 'Kind',
    kinds: {
      value: {
        name: 'Value',
        about: 'A step contains it as {{ secrets.name }} in its URL, headers or body.',
        secret: 'Value',
      },
      header: {
        name: 'Header',
        about: 'The request gets this header when the step names the secret as its credential.',
        secret: 'Value of the header',
      },
      basic: {
        name: 'HTTP Basic',
        about:
          'The request gets a user name and a password when the step names the secret as its credential.',
        secret: 'Password',
      },
      oauth2_client: {
        name: 'OAuth 2.0 client',
        about:
          'The request gets a token, which is requested and renewed with the client credentials.',
        secret: 'Client secret',
      },
    },
    fields: {
      header: 'Name of the header',
      username: 'User name',
      token_url: 'Token URL',
      client_id: 'Client id',
      scope: 'Scopes, separated by spaces',
      client_auth: 'How the token URL gets the client id and secret',
    },
    clientAuth: { basic: 'HTTP Basic', body: 'In the body' },
    tokenHeader: 'Header that gets the token without "Bearer", instead of Authorization',
    secretAbout: 'Nobody can see the secret after you save it.',
    secretKept:
      'Leave this empty to keep the stored secret. If you change the hosts, enter the secret again.',
    hosts: 'Hosts',
    hostsAbout:
      'Only these hosts receive the secret. One host per line: api.example.com, or *.example.com for all hosts below it.',
    changed: 'Changed',
    actions: 'Actions',
    save: 'Save',
    saved: 'The secret was saved.',
    delete: 'Delete',
    deleteTitle: (name: string) => `Delete ${name}?`,
    deleteText: 'Steps that use it fail from then on. This cannot be undone.',
    deleted: 'The secret was deleted.',
  },
  {
    title: 'Geheimnisse',
    about:
      'Schlüssel und Passwörter anderer Systeme, für Schritte mit http_request. Sie sind verschlüsselt, und niemand kann sie wieder lesen.',
    none: 'Es gibt noch keine Geheimnisse',
    noneAbout:
      'Ein Schritt verwendet einen Wert als {{ secrets.name }}, und die anderen Arten als seine Anmeldung (credential).',
    add: 'Neues Geheimnis',
    change: (name: string) => `${name} ändern`,
    changeShort: 'Ändern',
    name: 'Name',
    nameAbout: 'Kleinbuchstaben, Ziffern und _. Schritte verwenden diesen Namen.',
    kind: 'Art',
    kinds: {
      value: {
        name: 'Wert',
        about: 'Ein Schritt enthält ihn als {{ secrets.name }} in URL, Kopfzeilen oder Inhalt.',
        secret: 'Wert',
      },
      header: {
        name: 'Kopfzeile',
        about:
          'Die Anfrage bekommt diese Kopfzeile, wenn der Schritt das Geheimnis als credential nennt.',
        secret: 'Wert der Kopfzeile',
      },
      basic: {
        name: 'HTTP Basic',
        about:
          'Die Anfrage bekommt Benutzername und Passwort, wenn der Schritt es als credential nennt.',
        secret: 'Passwort',
      },
      oauth2_client: {
        name: 'OAuth-2.0-Client',
        about:
          'Die Anfrage bekommt ein Token, das mit den Zugangsdaten angefordert und erneuert wird.',
        secret: 'Client-Secret',
      },
    },
    fields: {
      header: 'Name der Kopfzeile',
      username: 'Benutzername',
      token_url: 'Token-URL',
      client_id: 'Client-ID',
      scope: 'Scopes, durch Leerzeichen getrennt',
      client_auth: 'Wie die Token-URL Client-ID und Client-Secret bekommt',
    },
    clientAuth: { basic: 'HTTP Basic', body: 'Im Inhalt' },
    tokenHeader: 'Kopfzeile für das Token ohne „Bearer“, statt Authorization',
    secretAbout: 'Es wird nach dem Speichern niemandem gezeigt.',
    secretKept:
      'Leer lassen, um das gespeicherte Geheimnis zu behalten. Bei anderen Hosts geben Sie es erneut ein.',
    hosts: 'Hosts',
    hostsAbout:
      'Nur diese Hosts erhalten es, einer pro Zeile: api.example.com, oder *.example.com für alle Hosts unter example.com.',
    changed: 'Geändert',
    actions: 'Aktionen',
    save: 'Speichern',
    saved: 'Das Geheimnis wurde gespeichert.',
    delete: 'Löschen',
    deleteTitle: (name: string) => `${name} löschen?`,
    deleteText:
      'Schritte, die es verwenden, scheitern von da an. Das lässt sich nicht rückgängig machen.',
    deleted: 'Das Geheimnis wurde gelöscht.',
  },
);
