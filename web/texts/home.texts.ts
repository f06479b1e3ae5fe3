import { defineTexts } from './define-texts.js';

/** The texts of the first steps. */
export const homeTexts = defineTexts(
  {
    title: 'First steps',
    about: 'Each step is marked automatically when it is done.',
    progress: (done: number, all: number) => `${done} of ${all} done`,
    done: 'done',
    open: 'open',
    complete: 'Everything is set up.',
    steps: {
      key: {
        title: 'Make an API key',
        about: 'Assistants and programs sign in with it.',
        go: 'Make a key',
      },
      connect: {
        title: 'Connect an assistant',
        about:
          'Copy a snippet for Claude Code, Cursor or VS Code. This step is done after the first call.',
        go: 'Show the snippets',
      },
      contact: {
        title: 'Add a contact',
        about: 'A person who can get messages.',
        go: 'Add a contact',
      },
      message: {
        title: 'Send a message',
        about: 'Ask your assistant to write to a contact, or let a workflow do it.',
        go: 'Show the messages',
      },
      run: {
        title: 'See a run succeed',
        about: 'Start a workflow by its webhook or by hand, and watch its steps.',
        go: 'Show the runs',
      },
    },
  },
  {
    title: 'Erste Schritte',
    about: 'Jeder Schritt hakt sich selbst ab, wenn er getan ist.',
    progress: (done: number, all: number) => `${done} von ${all} erledigt`,
    done: 'erledigt',
    open: 'offen',
    complete: 'Alles ist eingerichtet.',
    steps: {
      key: {
        title: 'Einen API-Schlüssel erstellen',
        about: 'Assistenten und Programme melden sich damit an.',
        go: 'Schlüssel erstellen',
      },
      connect: {
        title: 'Einen Assistenten verbinden',
        about:
          'Kopieren Sie einen Baustein für Claude Code, Cursor oder VS Code. Der erste Aufruf hakt das ab.',
        go: 'Bausteine zeigen',
      },
      contact: {
        title: 'Einen Kontakt hinzufügen',
        about: 'Jemand, dem Nachrichten gesendet werden können.',
        go: 'Kontakt hinzufügen',
      },
      message: {
        title: 'Eine Nachricht senden',
        about:
          'Bitten Sie Ihren Assistenten, einem Kontakt zu schreiben, oder nutzen Sie einen Workflow.',
        go: 'Nachrichten zeigen',
      },
      run: {
        title: 'Einen Lauf gelingen sehen',
        about:
          'Starten Sie einen Workflow über seinen Webhook oder von Hand, und sehen Sie seine Schritte.',
        go: 'Läufe zeigen',
      },
    },
  },
);
