import { defineTexts } from './define-texts.js';

/** The texts of the page of suppressed addresses. */
export const suppressionsTexts = defineTexts(
  {
    title: 'Suppressed addresses',
    about: 'Addresses that get no messages, even if their contact has agreed to messages.',
    address: 'Address',
    channel: 'Channel',
    reason: 'Reason',
    reasons: { bounce: 'Bounced', complaint: 'Complained', manual: 'By hand' },
    message: 'Message',
    since: 'Since',
    actions: 'Actions',
    none: 'No suppressed addresses',
    noneAbout: 'An address appears here when a provider reports a bounce or a complaint.',
    value: 'E-mail address or phone number to suppress',
    add: 'Suppress',
    neither:
      'This is neither an e-mail address nor a phone number. Examples: jane@example.com, +4930123456.',
    added: 'The address was suppressed.',
    remove: 'Remove',
    removeTitle: (address: string) => `Allow messages to ${address} again?`,
    removeText: 'Messages that this address did not get are not sent later.',
    removed: 'The address can get messages again.',
  },
  {
    title: 'Gesperrte Adressen',
    about: 'Adressen, die keine Nachrichten mehr bekommen, was ihr Kontakt auch erlaubt hat.',
    address: 'Adresse',
    channel: 'Kanal',
    reason: 'Grund',
    reasons: { bounce: 'Unzustellbar', complaint: 'Beschwerde', manual: 'Von Hand' },
    message: 'Nachricht',
    since: 'Seit',
    actions: 'Aktionen',
    none: 'Keine gesperrten Adressen',
    noneAbout:
      'Eine Adresse erscheint hier, wenn ein Anbieter sie als unzustellbar oder eine Beschwerde meldet.',
    value: 'E-Mail-Adresse oder Telefonnummer zum Sperren',
    add: 'Sperren',
    neither:
      'Das ist weder eine E-Mail-Adresse noch eine Telefonnummer. Beispiele: jane@example.com, +4930123456.',
    added: 'Die Adresse wurde gesperrt.',
    remove: 'Entfernen',
    removeTitle: (address: string) => `Nachrichten an ${address} wieder erlauben?`,
    removeText: 'Nachrichten, die diese Adresse nicht bekommen hat, werden nicht nachgeholt.',
    removed: 'Die Adresse kann wieder Nachrichten bekommen.',
  },
);
