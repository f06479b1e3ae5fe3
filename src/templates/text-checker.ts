import type { FaultList } from '../errors/fault-list.js';
import {
  TextCompiler,
  TextFault,
  type TextFormat,
  type UsedVariable,
} from '../liquid/text-compiler.js';
import { didYouMean } from '../text/nearest-names.js';
import {
  type JoinedText,
  PlacedFault,
  type PlacedMessage,
  inlineSnippets,
} from './inline-snippets.js';

/** The members of `contact` in templates. */
const CONTACT_MEMBERS = [
  'id',
  'external_id',
  'email',
  'phone',
  'first_name',
  'last_name',
  'locale',
  'timezone',
  'tags',
  'properties',
  'consent',
  'created_at',
  'updated_at',
];

/** The names that every text may use besides its variables. */
export const GIVEN_NAMES: readonly string[] = [
  'contact',
  'digest',
  'preferences_url',
  'unsubscribe_url',
];

/** The names that a text may use. */
export interface Names {
  readonly variables: readonly string[];
  readonly snippets: ReadonlyMap<string, string>;
}

/** Adds a warning about the value at `path`. After the largest number of warnings, it does nothing. */
export type Warn = (path: string, message: () => string) => void;

interface CheckedText {
  readonly text: string;
  readonly path: string;
  readonly format: TextFormat;
}

/** Finds the faults of one text before it is published. */
export class TextChecker {
  constructor(private readonly compiler: TextCompiler) {}

  /**
   * Returns the text with the content of its snippets. The faults and warnings that it adds have the line and the
   * column.
   */
  check(
    { text, path, format }: CheckedText,
    { variables, snippets }: Names,
    faults: FaultList,
    warn: Warn,
  ): string {
    let joined: JoinedText | undefined;
    try {
      joined = inlineSnippets(text, snippets, this.compiler);
      const reading = this.compiler.read(joined.text, format);
      for (const variable of reading.variables) {
        if (isKnown(variable, variables)) continue;
        const whole = joined;
        faults.push({
          path,
          message: () =>
            sentence(whole.place(variable.offset, unknownVariable(variable, variables))),
        });
      }
      for (const offset of format === 'html' ? reading.rawOffsets : []) {
        const whole = joined;
        const message = 'writes a value with raw, which is not escaped: it must be safe HTML';
        warn(path, () => sentence(whole.place(offset, message)));
      }
      return joined.text;
    } catch (error) {
      if (error instanceof PlacedFault) faults.push({ path, message: sentence(error.placed) });
      else if (error instanceof TextFault) {
        const placed = joined?.place(error.offset, error.message);
        faults.push({ path, message: placed ? sentence(placed) : error.message });
      } else throw error;
      return text;
    }
  }
}

function isKnown({ segments: [name, member] }: UsedVariable, declared: readonly string[]): boolean {
  if (name === undefined) return false;
  if (name !== 'contact') return declared.includes(name) || GIVEN_NAMES.includes(name);
  return member === undefined || CONTACT_MEMBERS.includes(member);
}

function unknownVariable({ segments }: UsedVariable, declared: readonly string[]): string {
  const [name = 'a computed name', member] = segments;
  if (name === 'contact' && member !== undefined) {
    const known = CONTACT_MEMBERS.map((each) => `contact.${each}`);
    return unknown(`contact.${member}`, known);
  }
  return unknown(name, [...declared, ...GIVEN_NAMES]);
}

function unknown(name: string, known: readonly string[]): string {
  const shown = name.length > 64 ? `${name.slice(0, 64)}…` : name;
  return `uses ${shown.toWellFormed()}, which is not declared.${didYouMean(name, known)}`;
}

function sentence({ snippet, line, column, message }: PlacedMessage): string {
  const place = `line ${line}, column ${column}`;
  return `${message} (${snippet === undefined ? place : `snippet ${snippet}, ${place}`})`;
}
