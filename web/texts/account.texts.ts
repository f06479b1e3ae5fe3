import { defineTexts } from './define-texts.js';

/** Has the texts of signing in and up, and of the account. */
export const accountTexts = defineTexts(
  {
    signIn: 'Sign in',
    signUp: 'Create an organization',
    email: 'E-mail address',
    password: 'Password',
    passwordAbout:
      'At least 8 characters. A sentence is easier to remember than a word with digits.',
    organization: 'Name of the organization',
    noAccount: 'No account yet?',
    hasAccount: 'You have an account?',
    wrong: 'No account has this e-mail address and password.',
    taken: 'An account with this e-mail address exists. Sign in with it.',
    ended: {
      title: 'Your session has ended',
      text: 'Sign in again to go on. Everything on this page stays as it is.',
      other: 'Go to the sign-in page',
    },
    page: {
      title: 'Account',
      about: 'Who you are in this organization, and how this browser shows it.',
      person: 'You',
      session: 'This session',
      sessionAbout:
        'The session of this browser ends when you sign out, or after a time without use. Sign out on devices that you share.',
      look: 'Appearance',
      lookAbout: 'Kept in this browser only.',
      timeZone: 'Time zone',
      timeZoneAbout: (zone: string) => `${zone}, as this device says. All times are shown in it.`,
      id: 'Id',
    },
  },
  {
    signIn: 'Anmelden',
    signUp: 'Organisation anlegen',
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    passwordAbout: 'Mindestens 8 Zeichen. Ein Satz merkt sich leichter als ein Wort mit Ziffern.',
    organization: 'Name der Organisation',
    noAccount: 'Noch kein Konto?',
    hasAccount: 'Sie haben ein Konto?',
    wrong: 'Kein Konto hat diese E-Mail-Adresse und dieses Passwort.',
    taken: 'Ein Konto mit dieser E-Mail-Adresse gibt es schon. Melden Sie sich damit an.',
    ended: {
      title: 'Ihre Sitzung ist beendet',
      text: 'Melden Sie sich erneut an. Alles auf dieser Seite bleibt, wie es ist.',
      other: 'Zur Anmeldeseite',
    },
    page: {
      title: 'Konto',
      about: 'Wer Sie in dieser Organisation sind, und wie dieser Browser sie zeigt.',
      person: 'Sie',
      session: 'Diese Sitzung',
      sessionAbout:
        'Die Sitzung dieses Browsers endet, wenn Sie sich abmelden, oder nach einiger Zeit ohne Nutzung. Melden Sie sich auf geteilten Geräten ab.',
      look: 'Aussehen',
      lookAbout: 'Nur in diesem Browser gespeichert.',
      timeZone: 'Zeitzone',
      timeZoneAbout: (zone: string) =>
        `${zone}, laut diesem Gerät. Alle Zeiten werden darin gezeigt.`,
      id: 'Id',
    },
  },
);
