import { defineTexts } from './define-texts.js';

interface Moved {
  messages: number;
  runs: number;
  waits: number;
  aliases: number;
}

/** The texts about merging contacts and restoring merged contacts. */
export const contactMergeTexts = defineTexts(
  {
    title: 'Merge two contacts',
    about:
      'One contact remains, and both ids refer to it. It keeps the stricter consent for each channel. You can undo the merge for 30 days, on the page of that contact.',
    merge: 'Merge',
    merged: 'The contacts were merged.',
    survivor: 'Contact that stays',
    unnamed: 'No name',
    field: 'Field',
    stays: 'Stays',
    goes: 'Is merged',
    after: 'After the merge',
    fields: {
      email: 'E-mail',
      phone: 'Phone',
      external_id: 'External id',
      first_name: 'First name',
      last_name: 'Last name',
      locale: 'Language',
      timezone: 'Time zone',
      tags: 'Tags',
    },
    moves: ({ messages, runs, waits, aliases }: Moved) =>
      `Moves: messages ${messages}, runs ${runs}, waits ${waits}, aliases ${aliases}.`,
    unmerge: {
      title: 'Merged contacts',
      about: 'These contacts were merged into this one and can be restored.',
      name: 'Contact',
      at: 'Merged',
      until: 'Can be restored until',
      actions: 'Actions',
      restore: 'Restore',
      ask: (name: string) => `Restore ${name}?`,
      askAbout:
        'The restored contact gets back the values, messages and runs that it had before the merge. Later changes stay with the contact of this page.',
      restored: 'The contact was restored.',
    },
  },
  {
    title: 'Zwei Kontakte zusammenführen',
    about:
      'Ein Kontakt bleibt, und beide Ids stehen für ihn. Je Kanal gilt die strengere Einwilligung. 30 Tage lang lässt es sich auf seiner Seite rückgängig machen.',
    merge: 'Zusammenführen',
    merged: 'Die Kontakte wurden zusammengeführt.',
    survivor: 'Kontakt, der bleibt',
    unnamed: 'Ohne Namen',
    field: 'Feld',
    stays: 'Bleibt',
    goes: 'Wird eingefügt',
    after: 'Danach',
    fields: {
      email: 'E-Mail',
      phone: 'Telefon',
      external_id: 'Externe Id',
      first_name: 'Vorname',
      last_name: 'Nachname',
      locale: 'Sprache',
      timezone: 'Zeitzone',
      tags: 'Tags',
    },
    moves: ({ messages, runs, waits, aliases }: Moved) =>
      `Wechseln mit: Nachrichten ${messages}, Läufe ${runs}, Warteschritte ${waits}, weitere Adressen ${aliases}.`,
    unmerge: {
      title: 'Zusammengeführte Kontakte',
      about: 'Diese Kontakte gingen in diesem auf und lassen sich wiederherstellen.',
      name: 'Kontakt',
      at: 'Zusammengeführt',
      until: 'Wiederherstellbar bis',
      actions: 'Aktionen',
      restore: 'Wiederherstellen',
      ask: (name: string) => `${name} wiederherstellen?`,
      askAbout:
        'Der wiederhergestellte Kontakt bekommt seine Werte, Nachrichten und Läufe vom Zeitpunkt des Zusammenführens zurück. Was sich seitdem geändert hat, bleibt beim Kontakt dieser Seite.',
      restored: 'Der Kontakt wurde wiederhergestellt.',
    },
  },
);
