import { defineTexts } from './define-texts.ts';

/** The reasons of runs, the waits of steps, and the codes of errors that only steps have. */
export const runReasonsTexts = defineTexts(
  {
    reasons: {
      wait: 'Waits until a time',
      event: 'Waits for an event or another run',
      retry: 'Waits for the next attempt of a step',
      concurrency: 'Waits for other runs to end',
      rate: 'Waits for its turn in the rate limit',
      debounce: 'Waits to see whether another start follows',
      timed_out: 'Took longer than its timeout',
      poison: 'Three workers died at the same step',
      too_large: 'Its inputs and outputs are too large',
      requested: 'Canceled on request',
      parent_ended: 'Canceled with the run that waited for it',
      debounced: 'Replaced by a later start',
      loop: 'Not started: too many runs have started each other',
      rate_limited: 'Not started: too many starts in a short time',
      filter_failed: 'Not started: the condition of the trigger failed',
    },
    /** The texts of reasons that name a step. A filter offers the same reasons without the name of a step. */
    ofStep: {
      step_failed: (step?: string) => (step ? `The step ${step} failed` : 'A step failed'),
      stopped: (step?: string) =>
        step ? `The step ${step} stopped the run` : 'A step stopped the run',
      returned: (step?: string) =>
        step ? `The step ${step} returned the result` : 'A step returned the result',
    },
    any: 'Every reason',
    waitsFor: 'Waits for',
    or: 'or',
    resume: 'a call of its resume URL',
    anotherRun: 'the run',
    until: 'until',
    nextAttempt: 'Waits for the next attempt.',
    codes: {
      rejected: 'Refused',
      stopped: 'Stopped',
      timed_out: 'Timed out',
      poison: 'Workers died',
    },
  },
  {
    reasons: {
      wait: 'Wartet bis zu einer Zeit',
      event: 'Wartet auf ein Ereignis oder einen anderen Lauf',
      retry: 'Wartet auf den nächsten Versuch eines Schritts',
      concurrency: 'Wartet auf das Ende anderer Läufe',
      rate: 'Wartet wegen der Höchstzahl der Läufe in einer Zeit',
      debounce: 'Wartet, ob ein weiterer Start folgt',
      timed_out: 'Dauerte länger als erlaubt',
      poison: 'Drei Worker starben am selben Schritt',
      too_large: 'Seine Eingaben und Ausgaben sind zu groß',
      requested: 'Auf Wunsch abgebrochen',
      parent_ended: 'Mit dem Lauf abgebrochen, der auf ihn wartete',
      debounced: 'Durch einen späteren Start ersetzt',
      loop: 'Nicht gestartet: zu viele Läufe haben einander gestartet',
      rate_limited: 'Nicht gestartet: zu viele Starts in kurzer Zeit',
      filter_failed: 'Nicht gestartet: die Bedingung des Auslösers schlug fehl',
    },
    ofStep: {
      step_failed: (step?: string) =>
        step ? `Der Schritt ${step} ist fehlgeschlagen` : 'Ein Schritt ist fehlgeschlagen',
      stopped: (step?: string) =>
        step ? `Der Schritt ${step} hat den Lauf beendet` : 'Ein Schritt hat den Lauf beendet',
      returned: (step?: string) =>
        step
          ? `Der Schritt ${step} hat das Ergebnis geliefert`
          : 'Ein Schritt hat das Ergebnis geliefert',
    },
    any: 'Jeder Grund',
    waitsFor: 'Wartet auf',
    or: 'oder',
    resume: 'einen Aufruf seiner Fortsetzungsadresse',
    anotherRun: 'den Lauf',
    until: 'bis',
    nextAttempt: 'Wartet auf den nächsten Versuch.',
    codes: {
      rejected: 'Abgelehnt',
      stopped: 'Beendet',
      timed_out: 'Zeit abgelaufen',
      poison: 'Worker gestorben',
    },
  },
);
