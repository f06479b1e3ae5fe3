import { defineTexts } from './define-texts.js';

/** The texts about aliases, duplicates and the settings of contacts. */
export const contactIdentityTexts = defineTexts(
  {
    aliases: {
      title: 'Aliases',
      about: 'Further addresses by which this contact is found. Messages go to its own address.',
      none: 'No aliases.',
      address: 'Address',
      kind: 'Kind',
      kinds: { email: 'E-mail', phone: 'Phone', external_id: 'External id' },
      actions: 'Actions',
      add: 'Add an alias',
      value: 'E-mail address or phone number',
      added: 'The alias was added.',
      remove: 'Remove',
      removeTitle: (value: string) => `Remove ${value}?`,
      removeText: 'The contact is no longer found by this address.',
      removed: 'The alias was removed.',
    },
    duplicates: {
      title: 'Duplicates',
      about:
        'Pairs of contacts that may be one person. Each contact is paired with the oldest one that has the same value. No contact is changed automatically.',
      reason: 'Reason',
      any: 'All reasons',
      reasons: {
        similar_email: 'Similar e-mail address',
        same_external_id: 'Same external id',
        same_name: 'Same name',
      },
      shared: 'In common',
      older: 'Older contact',
      other: 'Other contact',
      unnamed: 'No name',
      actions: 'Actions',
      merge: 'Merge',
      none: 'No duplicates found',
      noneAbout: 'No two contacts share an address, an external id or a full name.',
    },
    settings: {
      title: 'Fields of contacts',
      about: 'How fields of contacts are read from now on. Stored contacts stay as they are.',
      region: 'Country of phone numbers in national form',
      regionAbout:
        'Two letters, such as DE or BR. Empty: only numbers in international form, such as +4930123456, are accepted.',
      strict: 'Refuse properties that are not declared',
      strictAbout: 'Values that contacts already have stay.',
      smsHelp: 'Answer to HELP',
      smsHelpAbout: 'The answer to a text message that consists of HELP. Empty: no answer.',
      save: 'Save',
      saved: 'The settings of contacts were saved.',
    },
  },
  {
    aliases: {
      title: 'Weitere Adressen',
      about:
        'Adressen, unter denen dieser Kontakt außerdem gefunden wird. Nachrichten gehen an seine eigene Adresse.',
      none: 'Keine weiteren Adressen.',
      address: 'Adresse',
      kind: 'Art',
      kinds: { email: 'E-Mail', phone: 'Telefon', external_id: 'Externe Id' },
      actions: 'Aktionen',
      add: 'Adresse hinzufügen',
      value: 'E-Mail-Adresse oder Telefonnummer',
      added: 'Die Adresse wurde hinzugefügt.',
      remove: 'Entfernen',
      removeTitle: (value: string) => `${value} entfernen?`,
      removeText: 'Der Kontakt wird unter dieser Adresse nicht mehr gefunden.',
      removed: 'Die Adresse wurde entfernt.',
    },
    duplicates: {
      title: 'Dubletten',
      about:
        'Paare von Kontakten, die dieselbe Person sein könnten. Jeder Kontakt steht neben dem ältesten mit derselben Gemeinsamkeit. Von selbst ändert sich nichts.',
      reason: 'Grund',
      any: 'Alle Gründe',
      reasons: {
        similar_email: 'Ähnliche E-Mail-Adresse',
        same_external_id: 'Gleiche externe Id',
        same_name: 'Gleicher Name',
      },
      shared: 'Gemeinsam',
      older: 'Älterer Kontakt',
      other: 'Anderer Kontakt',
      unnamed: 'Ohne Namen',
      actions: 'Aktionen',
      merge: 'Zusammenführen',
      none: 'Keine Dubletten gefunden',
      noneAbout:
        'Keine zwei Kontakte teilen eine Adresse, eine externe Id oder einen vollen Namen.',
    },
    settings: {
      title: 'Felder von Kontakten',
      about:
        'Wie Felder von Kontakten ab jetzt gelesen werden. Gespeicherte Kontakte bleiben, wie sie sind.',
      region: 'Land der Telefonnummern in nationaler Form',
      regionAbout:
        'Zwei Buchstaben, zum Beispiel DE oder BR. Leer: nur Nummern in internationaler Form wie +4930123456 sind erlaubt.',
      strict: 'Eigenschaften ablehnen, die nicht deklariert sind',
      strictAbout: 'Werte, die Kontakte schon haben, bleiben.',
      smsHelp: 'Antwort auf HELP',
      smsHelpAbout:
        'Die Antwort auf eine Textnachricht, die aus HELP besteht. Leer: keine Antwort.',
      save: 'Speichern',
      saved: 'Die Einstellungen der Kontakte wurden gespeichert.',
    },
  },
);
