import { defineTexts } from './define-texts.js';

/** The texts of the components that every page uses. */
export const uiTexts = defineTexts(
  {
    optional: '(optional)',
    required: 'This is required.',
    close: 'Close',
    cancel: 'Cancel',
    save: 'Save',
    confirm: 'Confirm',
    drop: 'Discard',
    dropTitle: 'Discard what you typed?',
    dropText: 'It is not saved and cannot be restored.',
    delete: 'Delete',
    edit: 'Edit',
    retry: 'Try again',
    copy: 'Copy',
    copied: 'Copied',
    copyFailed: 'The browser did not allow copying. Select the text and copy it.',
    more: 'More actions',
    loading: 'Loading …',
    refresh: 'Refresh',
    blank: '(blank)',
    slow: 'Switchboard takes long to answer. The page still waits, and nothing you typed is lost.',
    hidden: 'This contains invisible characters:',
    none: 'none',
    yes: 'yes',
    no: 'no',
    pager: {
      label: (list?: string) => (list ? `Pages of the list: ${list}` : 'Pages of the list'),
      next: 'Next',
      previous: 'Previous',
      page: (page: number) => `Page ${page}`,
    },
    viewer: {
      showAll: (size: string) => `Show all (${size})`,
      showLess: 'Show less',
      cut: (size: string) => `Cut after ${size}.`,
    },
    notices: 'Notices',
    errors: {
      title: 'This did not work',
      errorId: 'Error id',
      offline:
        'Switchboard cannot be reached. Check your connection and try again. Nothing you typed is lost.',
      cut_off:
        'The connection ended during the answer, so it is unknown whether a change was made. Check this before you try again. Nothing you typed is lost.',
      unexpected:
        'Switchboard answered in a way that this page does not understand. Load the page again.',
      unauthenticated:
        'Your session had ended, so nothing was changed. Sign in again, then repeat this. Nothing you typed is lost.',
      not_found: 'There is nothing here. It may have been deleted.',
      conflict:
        'This conflicts with the stored data, so nothing was changed. Change your values or load the page again, and try again.',
      forbidden: 'You may not do this. Ask an owner of your organization.',
      invalid_arguments: 'Some values are not allowed. Correct them and try again.',
      too_complex: 'This is nested too deeply or has too many values. Shorten it and try again.',
      payload_too_large:
        'This is too large to send. Shorten it and try again. Nothing you typed is lost.',
      rate_limited: (seconds?: number) =>
        `Too many requests. Try again ${waitOf(seconds)}. Nothing you typed is lost.`,
      unavailable: (seconds?: number) =>
        `Switchboard cannot answer at the moment. Try again ${waitOf(seconds)}. Nothing you typed is lost.`,
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
    drop: 'Verwerfen',
    dropTitle: 'Eingaben verwerfen?',
    dropText: 'Sie sind nicht gespeichert und lassen sich nicht zurückholen.',
    delete: 'Löschen',
    edit: 'Bearbeiten',
    retry: 'Erneut versuchen',
    copy: 'Kopieren',
    copied: 'Kopiert',
    copyFailed: 'Der Browser hat das Kopieren nicht erlaubt. Markieren und kopieren Sie den Text.',
    more: 'Weitere Aktionen',
    loading: 'Wird geladen …',
    refresh: 'Aktualisieren',
    blank: '(leer)',
    slow: 'Switchboard braucht lange für die Antwort. Die Seite wartet weiter, und Ihre Eingaben bleiben erhalten.',
    hidden: 'Hier stehen unsichtbare Zeichen:',
    none: 'keine',
    yes: 'ja',
    no: 'nein',
    pager: {
      label: (list?: string) => (list ? `Seiten der Liste: ${list}` : 'Seiten der Liste'),
      next: 'Weiter',
      previous: 'Zurück',
      page: (page: number) => `Seite ${page}`,
    },
    viewer: {
      showAll: (size: string) => `Alles zeigen (${size})`,
      showLess: 'Weniger zeigen',
      cut: (size: string) => `Nach ${size} gekürzt.`,
    },
    notices: 'Hinweise',
    errors: {
      title: 'Das hat nicht geklappt',
      errorId: 'Fehlernummer',
      offline:
        'Switchboard ist nicht erreichbar. Prüfen Sie die Verbindung und versuchen Sie es erneut. Ihre Eingaben bleiben erhalten.',
      cut_off:
        'Die Antwort brach ab, daher ist offen, ob etwas geändert wurde. Sehen Sie nach, bevor Sie es erneut versuchen. Ihre Eingaben bleiben erhalten.',
      unexpected:
        'Diese Seite versteht die Antwort von Switchboard nicht. Laden Sie die Seite neu.',
      unauthenticated:
        'Ihre Sitzung war beendet, daher wurde nichts geändert. Melden Sie sich an und wiederholen Sie es dann. Ihre Eingaben bleiben erhalten.',
      not_found: 'Hier ist nichts. Vielleicht wurde es gelöscht.',
      conflict:
        'Das passt nicht zu dem, was jetzt gespeichert ist, daher wurde nichts geändert. Ändern Sie es oder laden Sie die Seite neu, und versuchen Sie es erneut.',
      forbidden: 'Das dürfen Sie nicht. Fragen Sie einen Inhaber Ihrer Organisation.',
      invalid_arguments:
        'Ein Teil davon ist nicht erlaubt. Berichtigen Sie ihn und versuchen Sie es erneut.',
      too_complex:
        'Das ist zu tief verschachtelt oder hat zu viele Werte. Kürzen Sie es und versuchen Sie es erneut.',
      payload_too_large:
        'Das ist zu groß zum Senden. Kürzen Sie es und versuchen Sie es erneut. Ihre Eingaben bleiben erhalten.',
      rate_limited: (seconds?: number) =>
        `Zu viele Anfragen. Versuchen Sie es ${germanWaitOf(seconds)} erneut. Ihre Eingaben bleiben erhalten.`,
      unavailable: (seconds?: number) =>
        `Switchboard kann gerade nicht antworten. Versuchen Sie es ${germanWaitOf(seconds)} erneut. Ihre Eingaben bleiben erhalten.`,
      internal:
        'In Switchboard ist ein Fehler aufgetreten. Nennen Sie Ihrem Administrator die Fehlernummer.',
    },
  },
);

/** The longest wait that is shown in seconds. */
const MOST_SECONDS = 90;

function waitOf(seconds: number | undefined): string {
  if (!seconds) return 'in a moment';
  if (seconds > MOST_SECONDS) return `in ${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? 'in 1 second' : `in ${seconds} seconds`;
}

function germanWaitOf(seconds: number | undefined): string {
  if (!seconds) return 'gleich';
  if (seconds > MOST_SECONDS) return `in ${Math.ceil(seconds / 60)} Minuten`;
  return seconds === 1 ? 'in 1 Sekunde' : `in ${seconds} Sekunden`;
}
