import { defineTexts } from './define-texts.js';

/** Has the texts of the components that every page uses. */
export const uiTexts = defineTexts(
  {
    optional: '(optional)',
    required: 'This is required.',
    close: 'Close',
    cancel: 'Cancel',
    save: 'Save',
    confirm: 'Confirm',
    delete: 'Delete',
    edit: 'Edit',
    retry: 'Try again',
    copy: 'Copy',
    copied: 'Copied',
    copyFailed: 'The browser did not allow copying. Select the text and copy it.',
    more: 'More actions',
    loading: 'Loading …',
    refresh: 'Refresh',
    none: 'none',
    yes: 'yes',
    no: 'no',
    pager: {
      label: 'Pages of the list',
      next: 'Next',
      previous: 'Previous',
      page: (page: number) => `Page ${page}`,
    },
    viewer: {
      showAll: (size: string) => `Show all (${size})`,
      showLess: 'Show less',
      cut: (size: string) => `Cut after ${size}.`,
      hidden: 'contains invisible characters',
    },
    notices: 'Notices',
    errors: {
      title: 'This did not work',
      errorId: 'Error id',
      offline:
        'Switchboard cannot be reached. Check your connection and try again. Nothing you typed is lost.',
      cut_off: 'The answer broke off. Try again.',
      unexpected:
        'Switchboard answered in a way that this page does not understand. Load the page again.',
      unauthenticated: 'Your session has ended. Sign in again.',
      not_found: 'There is nothing here. It may have been deleted.',
      payload_too_large: 'This is too large to send. Shorten it and try again.',
      rate_limited: (seconds: number) =>
        `Too many requests. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
      unavailable:
        'Switchboard cannot answer at the moment. Try again in a moment. Nothing you typed is lost.',
      internal: 'Something went wrong inside Switchboard. Tell your administrator the error id.',
    },
  },
  {
    optional: '(freiwillig)',
    required: 'Das fehlt noch.',
    close: 'Schließen',
    cancel: 'Abbrechen',
    save: 'Speichern',
    confirm: 'Bestätigen',
    delete: 'Löschen',
    edit: 'Bearbeiten',
    retry: 'Erneut versuchen',
    copy: 'Kopieren',
    copied: 'Kopiert',
    copyFailed: 'Der Browser hat das Kopieren nicht erlaubt. Markieren und kopieren Sie den Text.',
    more: 'Weitere Aktionen',
    loading: 'Wird geladen …',
    refresh: 'Aktualisieren',
    none: 'keine',
    yes: 'ja',
    no: 'nein',
    pager: {
      label: 'Seiten der Liste',
      next: 'Weiter',
      previous: 'Zurück',
      page: (page: number) => `Seite ${page}`,
    },
    viewer: {
      showAll: (size: string) => `Alles zeigen (${size})`,
      showLess: 'Weniger zeigen',
      cut: (size: string) => `Nach ${size} gekürzt.`,
      hidden: 'enthält unsichtbare Zeichen',
    },
    notices: 'Hinweise',
    errors: {
      title: 'Das hat nicht geklappt',
      errorId: 'Fehlernummer',
      offline:
        'Switchboard ist nicht erreichbar. Prüfen Sie die Verbindung und versuchen Sie es erneut. Ihre Eingaben bleiben erhalten.',
      cut_off: 'Die Antwort brach ab. Versuchen Sie es erneut.',
      unexpected:
        'Diese Seite versteht die Antwort von Switchboard nicht. Laden Sie die Seite neu.',
      unauthenticated: 'Ihre Sitzung ist beendet. Melden Sie sich erneut an.',
      not_found: 'Hier ist nichts. Vielleicht wurde es gelöscht.',
      payload_too_large: 'Das ist zu groß zum Senden. Kürzen Sie es und versuchen Sie es erneut.',
      rate_limited: (seconds: number) =>
        `Zu viele Anfragen. Versuchen Sie es in ${seconds} ${seconds === 1 ? 'Sekunde' : 'Sekunden'} erneut.`,
      unavailable:
        'Switchboard kann gerade nicht antworten. Versuchen Sie es gleich erneut. Ihre Eingaben bleiben erhalten.',
      internal:
        'In Switchboard ist ein Fehler aufgetreten. Nennen Sie Ihrem Administrator die Fehlernummer.',
    },
  },
);
