import { defineTexts } from './define-texts.ts';

/** The texts of the settings of retention. */
export const retentionTexts = defineTexts(
  {
    title: 'Retention',
    about: 'For how many days rows are kept. Older rows are deleted permanently within minutes.',
    forever: 'Empty means forever.',
    kinds: {
      runs_days: {
        label: 'Runs, in days after their end',
        about: 'With the log of their steps. 7 to 3,650.',
      },
      messages_days: { label: 'Finished messages, in days', about: '7 to 3,650.' },
      webhook_deliveries_days: {
        label: 'Deliveries of webhooks, in days',
        about: '7 to 3,650. Without a number, only the newest of each workflow are kept.',
      },
      audit_log_days: { label: 'Audit log, in days', about: '90 to 3,650.' },
    },
    save: 'Save',
    wrong: 'Enter a whole number of days, or leave this empty.',
    confirmTitle: 'Delete what is older?',
    confirmText:
      'Rows that are older than the new numbers of days are deleted. This cannot be undone.',
    confirm: 'Save and delete',
    saved: 'The retention was saved.',
    unchanged: 'Nothing has changed.',
  },
  {
    title: 'Aufbewahrung',
    about:
      'Wie viele Tage Zeilen aufbewahrt werden. Ältere werden innerhalb von Minuten endgültig gelöscht.',
    forever: 'Leer bedeutet für immer.',
    kinds: {
      runs_days: {
        label: 'Läufe, in Tagen nach ihrem Ende',
        about: 'Mit dem Protokoll ihrer Schritte. 7 bis 3.650.',
      },
      messages_days: { label: 'Fertige Nachrichten, in Tagen', about: '7 bis 3.650.' },
      webhook_deliveries_days: {
        label: 'Zustellungen von Webhooks, in Tagen',
        about: '7 bis 3.650. Ohne Zahl werden nur die neuesten jedes Workflows aufbewahrt.',
      },
      audit_log_days: { label: 'Audit-Log, in Tagen', about: '90 bis 3.650.' },
    },
    save: 'Speichern',
    wrong: 'Geben Sie eine ganze Zahl von Tagen ein, oder lassen Sie das Feld leer.',
    confirmTitle: 'Älteres löschen?',
    confirmText:
      'Zeilen, die älter sind als die neuen Zahlen von Tagen, werden gelöscht. Das lässt sich nicht rückgängig machen.',
    confirm: 'Speichern und löschen',
    saved: 'Die Aufbewahrung wurde gespeichert.',
    unchanged: 'Nichts hat sich geändert.',
  },
);
