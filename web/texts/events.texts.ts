import { defineTexts } from './define-texts.js';

/** The texts of the page of events. */
export const eventsTexts = defineTexts(
  {
    title: 'Events',
    about:
      'The custom events that workflows, assistants and programs have emitted. The newest 10,000 are kept for 30 days.',
    name: 'Event',
    nameAbout: 'A name, or the beginning of a name and a star: custom.order.*',
    apply: 'Apply',
    emitted: 'Emitted',
    data: 'Data',
    bytes: (size: string) => `… (${size})`,
    started: 'Runs started',
    continued: 'Waits ended',
    by: 'By run',
    contact: 'Contact',
    none: 'No events yet',
    noneAbout:
      'Events appear here when a workflow has a step emit_event, or a program sends one to /api/events.',
    noMatch: 'No event has this name',
    noMatchAbout: 'Change the name, or show all events.',
    showAll: 'Show all events',
  },
  {
    title: 'Ereignisse',
    about:
      'Eigene Ereignisse, die Workflows, Assistenten und Programme ausgelöst haben. Die neuesten 10.000 bleiben 30 Tage.',
    name: 'Ereignis',
    nameAbout: 'Ein Name, oder sein Anfang mit einem Stern: custom.order.*',
    apply: 'Anwenden',
    emitted: 'Ausgelöst',
    data: 'Daten',
    bytes: (size: string) => `… (${size})`,
    started: 'Gestartete Läufe',
    continued: 'Beendete Warteschritte',
    by: 'Von Lauf',
    contact: 'Kontakt',
    none: 'Noch keine Ereignisse',
    noneAbout:
      'Ereignisse erscheinen hier, wenn ein Workflow einen Schritt emit_event hat oder ein Programm eines an /api/events schickt.',
    noMatch: 'Kein Ereignis hat diesen Namen',
    noMatchAbout: 'Ändern Sie den Namen, oder zeigen Sie alle Ereignisse.',
    showAll: 'Alle Ereignisse zeigen',
  },
);
