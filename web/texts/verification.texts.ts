import { defineTexts } from './define-texts.js';

/** The texts of the page on which a person confirms an e-mail address. */
export const verificationTexts = defineTexts(
  {
    title: 'Confirm your e-mail address',
    signIn: 'Sign in to the account that belongs to this mail.',
    confirm: 'Confirm the address',
    question: (email: string) => `Is ${email} your address?`,
    done: (email: string) => `${email} is confirmed.`,
    incomplete: 'This link is incomplete. Open it from the mail once more.',
    invalid:
      'This link is no longer valid, or belongs to another account. A link is valid for 24 hours and can be used once.',
    toDashboard: 'To the dashboard',
    notVerified: (email: string, before: string, after: string) =>
      `Your address ${email} is not verified: ${before} messages a day. With a verified address: ${after}.`,
    sendAgain: 'Send the mail again',
    sent: (email: string) => `A mail to ${email} is on its way.`,
  },
  {
    title: 'E-Mail-Adresse bestätigen',
    signIn: 'Melden Sie sich bei dem Konto an, zu dem diese Mail gehört.',
    confirm: 'Adresse bestätigen',
    question: (email: string) => `Ist ${email} Ihre Adresse?`,
    done: (email: string) => `${email} ist bestätigt.`,
    incomplete: 'Dieser Link ist unvollständig. Öffnen Sie ihn noch einmal aus der Mail.',
    invalid:
      'Dieser Link gilt nicht mehr oder gehört zu einem anderen Konto. Ein Link gilt 24 Stunden und einmal.',
    toDashboard: 'Zur Übersicht',
    notVerified: (email: string, before: string, after: string) =>
      `Ihre Adresse ${email} ist nicht bestätigt: ${before} Nachrichten am Tag. Mit bestätigter Adresse: ${after}.`,
    sendAgain: 'Mail erneut senden',
    sent: (email: string) => `Eine Mail an ${email} ist unterwegs.`,
  },
);
