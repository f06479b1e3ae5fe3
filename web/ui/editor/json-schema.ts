/** Holds the schema of a JSON text, and the tools that its steps can call. */
export interface JsonHints {
  schema: unknown;
  /** The tools by name, each with its description and the schema of its arguments. */
  tools: ReadonlyMap<string, { about: string; schema: unknown }>;
}

export type Schema = Readonly<Record<string, unknown>>;

/** Describes a JSON object that may not be complete: the names of all members, and the values that are texts. */
export interface GivenObject {
  names: ReadonlySet<string>;
  texts: ReadonlyMap<string, string>;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Resolves references and alternatives, so that each returned schema contains its own keywords. */
export function alternativesOf(schema: unknown, root: unknown): Schema[] {
  if (!isSchema(schema)) return [];
  const { $ref: reference, anyOf, description } = schema;
  if (typeof reference === 'string') {
    const found = definitionOf(reference, root);
    return alternativesOf(found, root).map((each) => ({
      ...each,
      ...(description !== undefined && { description }),
    }));
  }
  return Array.isArray(anyOf) ? anyOf.flatMap((each) => alternativesOf(each, root)) : [schema];
}

function definitionOf(reference: string, root: unknown): unknown {
  const name = /^#\/\$defs\/(\w+)$/.exec(reference)?.[1];
  if (name === undefined || !isSchema(root) || !isSchema(root.$defs)) return undefined;
  return root.$defs[name];
}

/**
 * Returns the alternatives that an object fits. An object that fits none may be incomplete, so all alternatives are
 * returned.
 */
export function fittingSchemas(schemas: readonly Schema[], given: GivenObject): readonly Schema[] {
  const fitting = schemas.filter((schema) => isFitting(schema, given));
  return fitting.length > 0 ? fitting : schemas;
}

function isFitting({ required, properties }: Schema, { names, texts }: GivenObject): boolean {
  const marks = Array.isArray(required) ? required.filter((name) => name !== 'id') : [];
  if (!marks.every((name) => typeof name === 'string' && names.has(name))) return false;
  return [...texts].every(([name, text]) => {
    const member = isSchema(properties) ? properties[name] : undefined;
    // A member that may have only one value, such as a kind, shows which alternative is meant.
    const values = isSchema(member) && Array.isArray(member.enum) ? member.enum : [];
    return values.length !== 1 || values[0] === text;
  });
}

/** Returns the schemas of a member of an object. The schema of `arguments` is the input schema of the step's tool. */
export function memberSchemas(
  schemas: readonly Schema[],
  name: string,
  given: GivenObject,
  { schema: root, tools }: JsonHints,
): Schema[] {
  return schemas.flatMap(({ properties }) => {
    const member = isSchema(properties) ? properties[name] : undefined;
    return alternativesOf(member, root).flatMap((each) => {
      if (each.format !== 'tool-arguments') return [each];
      const tool = tools.get(given.texts.get('tool') ?? '');
      return isSchema(tool?.schema) ? [tool.schema] : [each];
    });
  });
}

export function itemSchemas(schemas: readonly Schema[], root: unknown): Schema[] {
  return schemas.flatMap(({ items }) => alternativesOf(items, root));
}

/** A text that the editor can offer, with its meaning. */
export interface Offer {
  label: string;
  about: string;
  /** True for a text, which needs quotes. */
  isText: boolean;
}

/** Returns the members that an object can have and does not have yet. */
export function memberOffers(
  schemas: readonly Schema[],
  given: GivenObject,
  root: unknown,
): Offer[] {
  const offers = new Map<string, Offer>();
  for (const { properties } of schemas) {
    for (const [name, member] of Object.entries(isSchema(properties) ? properties : {})) {
      if (given.names.has(name) || offers.has(name)) continue;
      const own = isSchema(member) ? member.description : undefined;
      const about = aboutOf(
        own === undefined ? alternativesOf(member, root) : [{ description: own }],
      );
      offers.set(name, { label: name, about, isText: true });
    }
  }
  return [...offers.values()];
}

/** Returns the values that a schema lists: the values of enums, booleans, and the names of tools. */
export function valueOffers(schemas: readonly Schema[], { tools }: JsonHints): Offer[] {
  const offers = new Map<string, Offer>();
  const add = (value: unknown, about: string): void => {
    const isText = typeof value === 'string';
    const label = isText ? value : JSON.stringify(value);
    if (!offers.has(label)) offers.set(label, { label, about, isText });
  };
  for (const schema of schemas) {
    const values = Array.isArray(schema.enum) ? schema.enum : [];
    for (const value of values) add(value, '');
    if (schema.type === 'boolean') for (const value of [true, false]) add(value, '');
    if (schema.format === 'tool-name') for (const [name, { about }] of tools) add(name, about);
  }
  return [...offers.values()];
}

/** Returns the description of the first schema that has one, or an empty text. */
export function aboutOf(schemas: readonly Schema[]): string {
  const found = schemas.find(({ description }) => typeof description === 'string');
  return typeof found?.description === 'string' ? found.description : '';
}

/** Returns whether a member can have this name. In an object without listed members, every name is allowed. */
export function isKnownMember(schemas: readonly Schema[], name: string): boolean {
  const listed = schemas.flatMap(({ properties }) => (isSchema(properties) ? [properties] : []));
  return listed.length < schemas.length || listed.some((each) => Object.hasOwn(each, name));
}

/** Returns whether a text is allowed. A text with an expression is allowed, because only a run knows its value. */
export function isAllowedText(schemas: readonly Schema[], text: string, hints: JsonHints): boolean {
  if (schemas.length === 0 || text.includes('{{') || text.includes('{%')) return true;
  return schemas.some((schema) => {
    if (Array.isArray(schema.enum)) return schema.enum.includes(text);
    if (schema.format === 'tool-name') return hints.tools.has(text);
    return schema.type === undefined || [schema.type].flat().includes('string');
  });
}
