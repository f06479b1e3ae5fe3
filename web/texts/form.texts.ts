import { defineTexts } from './define-texts.js';

/** The texts of the forms for the arguments of tools. Descriptions of arguments are written by the tools. */
export const formTexts = defineTexts(
  {
    choose: '— not given —',
    chooseDefault: (value: string) => `— default: ${value} —`,
    add: (name: string) => `Add to ${name}`,
    remove: (name: string) => `Remove ${name}`,
    entry: (name: string, place: number) => `${name} ${place}`,
    yes: 'yes',
    no: 'no',
    example: (value: string) => `Example: ${value}`,
    defaultValue: (value: string) => `Default: ${value}`,
    range: (least: string, most: string) => `${least} to ${most}`,
    atLeast: (least: string) => `At least ${least}`,
    atMost: (most: string) => `At most ${most}`,
    json: 'JSON',
    faults: {
      required: 'This is required.',
      number: 'This must be a number.',
      integer: 'This must be a whole number.',
      json: 'This is not valid JSON.',
      json_object: 'This must be a JSON object: {"name": "value"}.',
      json_list: 'This must be a JSON list: [ … ].',
    },
    count: (count: number) =>
      count === 1 ? 'One field needs another value.' : `${count} fields need another value.`,
  },
  {
    choose: '— nicht angegeben —',
    chooseDefault: (value: string) => `— Standard: ${value} —`,
    add: (name: string) => `Zu ${name} hinzufügen`,
    remove: (name: string) => `${name} entfernen`,
    entry: (name: string, place: number) => `${name} ${place}`,
    yes: 'ja',
    no: 'nein',
    example: (value: string) => `Beispiel: ${value}`,
    defaultValue: (value: string) => `Standard: ${value}`,
    range: (least: string, most: string) => `${least} bis ${most}`,
    atLeast: (least: string) => `Mindestens ${least}`,
    atMost: (most: string) => `Höchstens ${most}`,
    json: 'JSON',
    faults: {
      required: 'Das fehlt noch.',
      number: 'Das muss eine Zahl sein.',
      integer: 'Das muss eine ganze Zahl sein.',
      json: 'Das ist kein gültiges JSON.',
      json_object: 'Das muss ein JSON-Objekt sein: {"name": "Wert"}.',
      json_list: 'Das muss eine JSON-Liste sein: [ … ].',
    },
    count: (count: number) =>
      count === 1
        ? 'Ein Feld braucht einen anderen Wert.'
        : `${count} Felder brauchen andere Werte.`,
  },
);
