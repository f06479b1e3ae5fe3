import { parseLocale } from '../contacts/parse-field.js';
import { AppError } from '../errors/app-error.js';
import { FaultList } from '../errors/fault-list.js';
import { isJsonObject } from '../text/is-json-object.js';
import { unknownName } from '../text/nearest-names.js';
import {
  type SmsVariant,
  type TemplateContent,
  type TemplateVariable,
  type TemplateVariant,
  VARIABLE_TYPES,
  type VariableType,
} from './template-content.js';
import { readValue } from './variable-values.js';

const MOST_VARIABLES = 50;
const MOST_LOCALES = 20;
const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 500;
const LONGEST_SUBJECT = 2000;
const LONGEST_TEXT = 256 * 1024;
const LARGEST_CONTENT_BYTES = 1024 * 1024;
const NAME = /^[a-z][a-z0-9_]*$/;
/** The names that have another meaning in a template. */
const RESERVED = new Set(
  [
    'contact',
    'digest',
    'preferences_url',
    'unsubscribe_url',
    'forloop',
    'tablerowloop',
    'true',
    'false',
    'nil',
    'null',
    'empty',
    'blank',
  ].concat(['and', 'or', 'not', 'contains', 'in', 'with', 'as', 'limit', 'offset', 'reversed']),
);
const MEMBERS = {
  variable: ['name', 'type', 'description', 'default'],
  variant: ['email', 'sms'],
  email: ['subject', 'html', 'text'],
  sms: ['text'],
} as const;

/** Returns the draft that a caller sent. Throws `invalid_arguments` with the path of every fault. Liquid is not checked. */
export function parseContent(given: {
  variables: readonly object[];
  variants: object;
}): TemplateContent {
  const faults = new FaultList();
  const variables = parseVariables(given.variables, faults);
  const variants = parseVariants(given.variants, faults);
  if (faults.length > 0) {
    const [first] = faults.first;
    throw AppError.invalid(`${first!.path} ${first!.message}.`, faults.first);
  }
  const content = { variables, variants };
  if (Buffer.byteLength(JSON.stringify(content)) > LARGEST_CONTENT_BYTES) {
    throw AppError.invalidField('variants', 'must have at most 1 MiB together with the variables');
  }
  return content;
}

function parseVariables(given: readonly object[], faults: FaultList): TemplateVariable[] {
  const names = new Set<string>();
  if (given.length > MOST_VARIABLES) {
    faults.push({ path: 'variables', message: `must have at most ${MOST_VARIABLES} items` });
    return [];
  }
  return given.flatMap((one, index) => {
    const path = `variables[${index}]`;
    const parsed = parseVariable(one as Record<string, unknown>, path, faults);
    if (!parsed) return [];
    if (names.has(parsed.name)) {
      faults.push({ path: `${path}.name`, message: `is the name of an earlier variable` });
    }
    names.add(parsed.name);
    return [parsed];
  });
}

function parseVariable(
  given: Record<string, unknown>,
  path: string,
  faults: FaultList,
): TemplateVariable | undefined {
  const before = faults.length;
  checkMembers(given, MEMBERS.variable, path, faults);
  const { name, type, description } = given;
  if (typeof name !== 'string' || name.length > LONGEST_NAME || !NAME.test(name)) {
    const message = 'must be a name such as order_number: a-z, 0-9 and _, at most 64 characters';
    faults.push({ path: `${path}.name`, message });
  } else if (RESERVED.has(name)) {
    faults.push({ path: `${path}.name`, message: `must be another name: ${name} is reserved` });
  }
  if (!isType(type)) {
    faults.push({ path: `${path}.type`, message: `must be one of ${VARIABLE_TYPES.join(', ')}` });
  }
  if (!isText(description, LONGEST_DESCRIPTION)) {
    const message = `must be a text of at most ${LONGEST_DESCRIPTION} characters`;
    faults.push({ path: `${path}.description`, message });
  }
  // A form sends null for a field that is not set.
  const fallback = given.default ?? undefined;
  if (fallback !== undefined && isType(type) && readValue(type, fallback) === undefined) {
    faults.push({ path: `${path}.default`, message: `must be a value of the type ${type}` });
  }
  if (faults.length > before) return undefined;
  return {
    name: name as string,
    type: type as VariableType,
    ...(description ? { description: description as string } : {}),
    ...(fallback !== undefined && { default: fallback }),
  };
}

function parseVariants(given: object, faults: FaultList): Record<string, TemplateVariant> {
  const entries = Object.entries(given);
  const variants = new Map<string, TemplateVariant>();
  if (entries.length > MOST_LOCALES) {
    faults.push({ path: 'variants', message: `must have at most ${MOST_LOCALES} locales` });
    return {};
  }
  for (const [tag, one] of entries) {
    const path = `variants.${tag.slice(0, LONGEST_NAME)}`;
    const locale = parseLocale(tag);
    if (!('value' in locale)) {
      faults.push({ path, message: locale.fault });
    } else if (variants.has(locale.value)) {
      faults.push({ path, message: 'is the locale of an earlier variant' });
    } else {
      variants.set(locale.value, parseVariant(one, path, faults));
    }
  }
  // Code that uses this object must read own members only. A null prototype would not help, because the database stores
  // no prototypes.
  return Object.fromEntries(variants);
}

function parseVariant(given: unknown, path: string, faults: FaultList): TemplateVariant {
  if (!isJsonObject(given)) {
    faults.push({ path, message: 'must be an object with email, sms or both' });
    return {};
  }
  checkMembers(given, MEMBERS.variant, path, faults);
  const email = parseTexts(given.email, MEMBERS.email, `${path}.email`, faults);
  const sms = parseTexts(given.sms, MEMBERS.sms, `${path}.sms`, faults);
  return {
    ...(email && { email: { ...email, subject: email.subject ?? '' } }),
    ...(sms && { sms: { text: sms.text ?? '' } satisfies SmsVariant }),
  };
}

/**
 * Returns the texts of a variant. No member is required, because drafts may be incomplete until a version is published.
 */
function parseTexts(
  given: unknown,
  members: readonly string[],
  path: string,
  faults: FaultList,
): Record<string, string> | undefined {
  if (given === undefined || given === null) return undefined;
  if (!isJsonObject(given)) {
    faults.push({ path, message: `must be an object with ${members.join(', ')}` });
    return undefined;
  }
  checkMembers(given, members, path, faults);
  const texts: Record<string, string> = {};
  for (const member of members) {
    const text = given[member] ?? undefined;
    const longest = member === 'subject' ? LONGEST_SUBJECT : LONGEST_TEXT;
    if (!isText(text, longest)) {
      const message = `must be a text of at most ${longest} characters`;
      faults.push({ path: `${path}.${member}`, message });
    } else if (typeof text === 'string' && text !== '') texts[member] = text;
  }
  return texts;
}

function checkMembers(
  given: object,
  known: readonly string[],
  path: string,
  faults: FaultList,
): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    faults.push({
      path,
      message: () => `has an unknown member. ${unknownName('member', name, known)}`,
    });
  }
}

function isType(type: unknown): type is VariableType {
  return (VARIABLE_TYPES as readonly unknown[]).includes(type);
}

function isText(text: unknown, longest: number): boolean {
  if (text === undefined || text === null) return true;
  // Returns true for a text that can be stored. PostgreSQL cannot store U+0000, and a lone surrogate cannot be encoded.
  return (
    typeof text === 'string' &&
    text.length <= longest &&
    text.isWellFormed() &&
    !text.includes('\0')
  );
}
