import { defineTexts } from './define-texts.js';

/** The texts of the states of messages, runs and steps. */
export const statusTexts = defineTexts(
  {
    scheduled: 'Scheduled',
    queued: 'Queued',
    held: 'Held',
    sending: 'Sending',
    uncertain: 'Uncertain',
    sent: 'Sent',
    delivered: 'Delivered',
    received: 'Received',
    running: 'Running',
    waiting: 'Waiting',
    succeeded: 'Succeeded',
    failed: 'Failed',
    canceled: 'Canceled',
    suppressed: 'Suppressed',
    skipped: 'Skipped',
  },
  {
    scheduled: 'Geplant',
    queued: 'Eingereiht',
    held: 'Zurückgehalten',
    sending: 'Wird gesendet',
    uncertain: 'Ungewiss',
    sent: 'Gesendet',
    delivered: 'Zugestellt',
    received: 'Empfangen',
    running: 'Läuft',
    waiting: 'Wartet',
    succeeded: 'Erfolgreich',
    failed: 'Fehlgeschlagen',
    canceled: 'Abgebrochen',
    suppressed: 'Gesperrt',
    skipped: 'Übersprungen',
  },
);
