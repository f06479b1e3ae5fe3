import { defineTexts } from './define-texts.js';

/** Texts of the frame around all pages. */
export const shellTexts = defineTexts(
  {
    product: 'Switchboard',
    skip: 'Skip to the content',
    navigation: 'Pages',
    openNavigation: 'Open the list of pages',
    account: 'Account',
    signOut: 'Sign out',
    commands: {
      open: 'Go to or do …',
      title: 'Commands',
      search: 'Type the name of a page or command',
      none: 'No command has this name.',
    },
    theme: { label: 'Theme', system: 'As the system', light: 'Light', dark: 'Dark' },
    language: { label: 'Language', en: 'English', de: 'Deutsch' },
    pages: {
      home: 'First steps',
      contacts: 'Contacts',
      messages: 'Messages',
      developer: 'Developer',
      account: 'Account',
    },
    sections: { operate: 'Data', settings: 'Settings' },
    notFound: {
      title: 'There is nothing here',
      text: 'This page does not exist, or it belongs to another organization.',
      back: 'Go to the first page',
    },
    crashed: {
      title: 'This page stopped because of an error',
      text: 'Your data is safe. Load the page again. If that does not help, tell your administrator.',
      reload: 'Load again',
    },
    updated: 'Switchboard was updated. Load the page again to go on.',
    offline: 'You are offline. Changes are sent when you try again.',
    loading: 'Loading',
  },
  {
    product: 'Switchboard',
    skip: 'Zum Inhalt springen',
    navigation: 'Seiten',
    openNavigation: 'Liste der Seiten öffnen',
    account: 'Konto',
    signOut: 'Abmelden',
    commands: {
      open: 'Gehe zu oder tue …',
      title: 'Befehle',
      search: 'Name einer Seite oder eines Befehls',
      none: 'Kein Befehl heißt so.',
    },
    theme: { label: 'Farben', system: 'Wie das System', light: 'Hell', dark: 'Dunkel' },
    language: { label: 'Sprache', en: 'English', de: 'Deutsch' },
    pages: {
      home: 'Erste Schritte',
      contacts: 'Kontakte',
      messages: 'Nachrichten',
      developer: 'Entwickler',
      account: 'Konto',
    },
    sections: { operate: 'Daten', settings: 'Einstellungen' },
    notFound: {
      title: 'Hier ist nichts',
      text: 'Diese Seite gibt es nicht, oder sie gehört zu einer anderen Organisation.',
      back: 'Zur ersten Seite',
    },
    crashed: {
      title: 'Diese Seite wurde durch einen Fehler beendet',
      text: 'Ihre Daten sind sicher. Laden Sie die Seite neu. Hilft das nicht, fragen Sie Ihren Administrator.',
      reload: 'Neu laden',
    },
    updated: 'Switchboard wurde aktualisiert. Laden Sie die Seite neu, um fortzufahren.',
    offline: 'Sie sind offline. Änderungen werden gesendet, wenn Sie es erneut versuchen.',
    loading: 'Wird geladen',
  },
);
