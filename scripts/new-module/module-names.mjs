import { builtinModules } from 'node:module';
import { Script } from 'node:vm';

/** PostgreSQL keeps 63 characters of a name. The index of the table has a name with 31 more characters. */
const MAX_TABLE_LENGTH = 32;
const NOUN_OF_TEMPLATE = /purchase([-_ ]?)order(s?)/gi;

/** Returns every form that the name of a module has in its code. */
export function formsOf(name) {
  const words = name.split('-');
  const last = singular(words.pop());
  return { one: [...words, last], many: [...words, plural(last)] };
}

/**
 * Returns why a module cannot have this name, in one sentence, or undefined. `taken` has the tables of Switchboard, the
 * packages of the module, and the words of its code.
 */
export function faultOf(name, taken) {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    return `"${name}" cannot be the name of a module: use lowercase words of a-z and 0-9 with hyphens between them, such as purchase-orders.`;
  }
  if (builtinModules.includes(name) || name === 'node-modules') {
    return `"${name}" is a name of Node.js, so choose another name.`;
  }
  if (taken.packages.includes(name)) {
    return `"${name}" is a package that the module needs, so choose another name.`;
  }
  const { one, many } = formsOf(name);
  const table = join(many, '_');
  if (table.length > MAX_TABLE_LENGTH) {
    return `"${name}" is too long: its table would be called ${table}, and a table may have ${MAX_TABLE_LENGTH} characters here.`;
  }
  if (taken.tables.includes(table)) {
    return `Switchboard has a table called ${table}, so choose another name.`;
  }
  const word = [one, many]
    .flatMap((words) => [camel(words), pascal(words), join(words, '_')])
    .find((each) => hasMeaning(each) || taken.words.has(each));
  if (word !== undefined) {
    return `"${name}" would be called ${word} in the code, where this word has a meaning already, so choose another name.`;
  }
  return undefined;
}

/** Replaces every form of "purchase order" in a text of the template by the same form of the module's name. */
export function rename(text, name) {
  const { one, many } = formsOf(name);
  const renamed = text.replaceAll(NOUN_OF_TEMPLATE, (found, gap, end) => {
    const words = end === '' ? one : many;
    if (found === found.toUpperCase()) return join(words, '_').toUpperCase();
    if (gap !== '') {
      const joined = join(words, gap);
      return found.startsWith('P') ? capital(joined) : joined;
    }
    return found.startsWith('P') ? pascal(words) : camel(words);
  });
  return /^[aeiou]/.test(one[0])
    ? renamed.replaceAll(new RegExp(`\\b(a|A) (?=${join(one, ' ')}\\b)`, 'g'), '$1n ')
    : renamed;
}

function singular(word) {
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}

function plural(word) {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

function join(words, gap) {
  return words.join(gap);
}

function capital(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}`;
}

function pascal(words) {
  return words.map(capital).join('');
}

function camel([first, ...others]) {
  return first + pascal(others);
}

/** Returns true for the words of JavaScript, and for its global classes, which compiled decorators refer to. */
function hasMeaning(word) {
  if (word in globalThis || word === 'await') return true;
  try {
    return !new Script(`'use strict'; const ${word} = 0;`);
  } catch {
    return true;
  }
}
