import { describe, expect, it } from 'vitest';
import { matchCommands } from './match-commands.js';

const commands = [
  { label: 'Contacts', group: 'Pages' },
  { label: 'Developer', group: 'Settings' },
  { label: 'Schließen', group: 'Befehle' },
  { label: 'Über', group: 'Pages' },
];
const labels = (typed: string) => matchCommands(commands, typed).map(({ label }) => label);

describe(matchCommands, () => {
  it('returns every command when nothing was typed', () => expect(labels(' ')).toHaveLength(4));
  it('finds parts of words in upper or lower case', () =>
    expect(labels('TACT')).toEqual(['Contacts']));
  it('finds names with accents when they are typed without accents', () =>
    expect(labels('uber')).toEqual(['Über']));
  it('finds only commands that contain every typed word', () =>
    expect(labels('settings dev')).toEqual(['Developer']));
  it('lists first the names that begin with the typed word', () =>
    expect(labels('s')).toEqual(['Schließen', 'Contacts', 'Developer', 'Über']));
  it('returns an empty list when no command contains the typed word', () =>
    expect(labels('xyz')).toEqual([]));
});
