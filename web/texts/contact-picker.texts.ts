import { defineTexts } from './define-texts.ts';

/** The texts of the field that finds a contact. */
export const contactPickerTexts = defineTexts(
  {
    about: 'Type a part of a name, an address or an external id, or a complete id.',
    list: 'Contacts that were found',
    none: 'No contact was found.',
    first: (count: number) => `Only the first ${count} are shown. Type more to find others.`,
  },
  {
    about:
      'Tippen Sie einen Teil eines Namens, einer Adresse oder externen Id, oder eine ganze Id.',
    list: 'Gefundene Kontakte',
    none: 'Kein Kontakt wurde gefunden.',
    first: (count: number) => `Nur die ersten ${count} sind zu sehen. Tippen Sie mehr.`,
  },
);
