import { defineTexts } from './define-texts.ts';

/** The outcome of a call as a word and as a sentence. docs/errors.md lists the codes. */
export const outcomeTexts = defineTexts(
  {
    words: {
      ok: 'OK',
      invalid_arguments: 'Invalid',
      not_found: 'Not found',
      conflict: 'Conflict',
      idempotency_mismatch: 'Key reused',
      no_consent: 'No consent',
      suppressed: 'Suppressed',
      rate_limited: 'Too many',
      forbidden: 'Forbidden',
      confirmation_required: 'Needs approval',
      input_required: 'Needs input',
      unavailable: 'Unavailable',
      internal: 'Internal error',
      unauthenticated: 'Refused',
      invalid_credentials: 'Wrong password',
      canceled: 'Canceled',
      unlogged: 'Not listed',
    },
    meanings: {
      ok: 'The call did what it was asked to do.',
      invalid_arguments:
        'The arguments were not what the tool expects. The answer named each fault with its place.',
      not_found:
        'The organization has no such tool or row. An id of another organization looks the same.',
      conflict: 'The change conflicts with the current state, so nothing was changed.',
      idempotency_mismatch: 'The idempotency key was used before, with other arguments.',
      no_consent: 'The contact has not agreed to messages on this channel. Nothing was sent.',
      suppressed: 'No messages may be sent to this address. Nothing was sent.',
      rate_limited: 'The caller made too many calls. The answer said when to try again.',
      forbidden:
        'This caller may not do that: its key is restricted, or the tool is for owners only.',
      confirmation_required:
        'A person must approve this call first. It waits on the page Approvals, and runs when the agent repeats it.',
      input_required: 'The tool asked its caller for more information before it continues.',
      unavailable:
        'A part of Switchboard was down, or the outcome is unknown. The same call may be repeated with its idempotency key.',
      internal: 'Something unexpected failed. An administrator finds the details in the log.',
      unauthenticated: 'Nobody was signed in, or the key is not valid.',
      canceled: 'The caller disconnected before the call was done. Nothing was changed.',
      unlogged: 'There were too many calls in this second, so some of them have no row.',
    },
  },
  {
    words: {
      ok: 'OK',
      invalid_arguments: 'Ungültig',
      not_found: 'Nicht gefunden',
      conflict: 'Konflikt',
      idempotency_mismatch: 'Schlüssel doppelt',
      no_consent: 'Keine Einwilligung',
      suppressed: 'Gesperrt',
      rate_limited: 'Zu viele',
      forbidden: 'Verboten',
      confirmation_required: 'Braucht Freigabe',
      input_required: 'Rückfrage',
      unavailable: 'Nicht verfügbar',
      internal: 'Interner Fehler',
      unauthenticated: 'Abgewiesen',
      invalid_credentials: 'Falsches Passwort',
      canceled: 'Abgebrochen',
      unlogged: 'Nicht gelistet',
    },
    meanings: {
      ok: 'Der Aufruf hat getan, worum er gebeten wurde.',
      invalid_arguments:
        'Die Argumente sind nicht, was das Werkzeug erwartet. Dem Aufrufer wurde jeder Fehler mit seiner Stelle genannt.',
      not_found:
        'Die Organisation hat dieses Werkzeug oder diese Zeile nicht. Eine Id einer anderen Organisation sieht genauso aus.',
      conflict: 'Die Änderung passt nicht zum jetzigen Stand, daher wurde nichts geändert.',
      idempotency_mismatch: 'Der Idempotenzschlüssel wurde schon mit anderen Argumenten verwendet.',
      no_consent:
        'Der Kontakt hat Nachrichten auf diesem Kanal nicht zugestimmt. Nichts wurde gesendet.',
      suppressed: 'An diese Adresse darf nicht geschrieben werden. Nichts wurde gesendet.',
      rate_limited:
        'Der Aufrufer hat zu oft aufgerufen. Ihm wurde gesagt, wann er es erneut versuchen kann.',
      forbidden:
        'Dieser Aufrufer darf das nicht: Sein Schlüssel ist beschränkt, oder das Werkzeug ist nur für Inhaber.',
      confirmation_required:
        'Ein Mensch muss diesen Aufruf erst freigeben. Er wartet auf der Seite Freigaben und läuft, wenn der Agent ihn wiederholt.',
      input_required: 'Das Werkzeug hat seinen Aufrufer nach mehr gefragt, bevor es weitermacht.',
      unavailable:
        'Ein Teil von Switchboard war nicht erreichbar, oder das Ergebnis ist unbekannt. Derselbe Aufruf darf mit seinem Schlüssel wiederholt werden.',
      internal: 'Etwas Unerwartetes schlug fehl. Ein Administrator findet die Einzelheiten im Log.',
      unauthenticated: 'Niemand war angemeldet, oder der Schlüssel gilt nicht.',
      canceled: 'Der Aufrufer ging, bevor der Aufruf fertig war. Nichts wurde geändert.',
      unlogged: 'In dieser Sekunde kamen so viele Aufrufe, dass die übrigen keine Zeile haben.',
    },
  },
);
