import type { JsonSchema } from '../tools/schema/json-schema.js';
import { safeLine } from './terminal.js';

const INDENT = '  ';
const MAX_DEPTH = 6;

/** Describes the arguments of a tool for people: one line for each argument, and its description below. */
export function describeArguments(schema: JsonSchema): string[] {
  const lines = membersOf(schema, 1);
  return lines.length > 0 ? ['Arguments:', ...lines] : ['It takes no arguments.'];
}

function membersOf(schema: JsonSchema, depth: number): string[] {
  // The service has no deeper schemas. Without this limit, a recursive schema of another service would never end.
  if (depth > MAX_DEPTH) return [];
  const indent = INDENT.repeat(depth);
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const isRequired = schema.required?.includes(name) ?? false;
    const facts = [typeOf(member), ...limitsOf(member), ...(isRequired ? ['required'] : [])];
    const inner = member.items ?? member;
    return [
      `${indent}${safeLine(name)}  (${facts.join(', ')})`,
      ...(member.description ? [`${indent}${INDENT}${safeLine(member.description)}`] : []),
      ...examplesOf(member).map((line) => `${indent}${INDENT}${line}`),
      ...membersOf(inner, depth + 1),
    ];
  });
}

function typeOf({ type, items, enum: values, format }: JsonSchema): string {
  if (values) return values.map((value) => JSON.stringify(value)).join(' or ');
  const names = [type ?? 'any value'].flat().map((name) => (name === 'string' ? 'text' : name));
  const plain = names.join(' or ');
  if (items) return `list of ${typeOf(items)}`;
  return format ? `${plain} as ${safeLine(format)}` : plain;
}

function limitsOf(schema: JsonSchema): string[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = schema;
  const limits = [
    range(minLength, maxLength, 'characters'),
    range(minimum, maximum, ''),
    range(minItems, maxItems, 'items'),
  ];
  const isGiven = schema.default !== undefined;
  return [...limits, isGiven ? `default ${JSON.stringify(schema.default)}` : ''].filter(Boolean);
}

function range(min: number | undefined, max: number | undefined, unit: string): string {
  const [from, to] = [min && `at least ${min}`, max !== undefined && `at most ${max}`];
  const text = min && max !== undefined ? `${min} to ${max}` : from || to || '';
  return text && `${text} ${unit}`.trim();
}

function examplesOf({ examples }: JsonSchema): string[] {
  if (!examples || examples.length === 0) return [];
  return [`For example ${examples.map((example) => JSON.stringify(example)).join(', ')}`].map(
    safeLine,
  );
}
