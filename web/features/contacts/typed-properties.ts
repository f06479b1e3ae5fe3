import { isObject } from '../../api/reader.ts';
import type { Property } from './property.readers.ts';

/** The name of the form's field for undeclared properties. It is not an argument of a tool. */
export const OTHER_PROPERTIES = 'other_properties';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the input schema of a tool with one field for each declared property, and one field for all other properties.
 * The field of a declared property has the type of the property. Without declared properties the schema is unchanged.
 */
export function withDeclared(schema: Fields, declared: readonly Property[]): Fields {
  if (declared.length === 0 || !isObject(schema.properties)) return schema;
  const fields = Object.entries(schema.properties).flatMap(([name, field]) => {
    if (name !== 'properties') return [[name, field] as const];
    const members = declared.map((property) => [property.name, schemaOf(property)]);
    return [
      [name, { type: 'object', properties: Object.fromEntries(members) }] as const,
      [OTHER_PROPERTIES, field] as const,
    ];
  });
  return { ...schema, properties: Object.fromEntries(fields) };
}

/** Divides the properties of a contact into declared and undeclared ones, which are separate fields of the form. */
export function splitProperties(fields: Fields, declared: readonly Property[]): Fields {
  if (declared.length === 0 || !isObject(fields.properties)) return fields;
  const names = new Set(declared.map(({ name }) => name));
  const entries = Object.entries(fields.properties);
  const others = entries.filter(([name]) => !names.has(name));
  return {
    ...fields,
    properties: Object.fromEntries(entries.filter(([name]) => names.has(name))),
    ...(others.length > 0 && { [OTHER_PROPERTIES]: Object.fromEntries(others) }),
  };
}

/** Joins the properties that {@link splitProperties} has divided. */
export function mergeProperties(given: Fields): Record<string, unknown> {
  const { [OTHER_PROPERTIES]: others, properties, ...fields } = given;
  if (!isObject(others) && !isObject(properties)) return fields;
  return {
    ...fields,
    properties: { ...(isObject(others) && others), ...(isObject(properties) && properties) },
  };
}

function schemaOf({ type, options }: Property): object {
  switch (type) {
    case 'number':
    case 'boolean':
      return { type };
    case 'date':
      return { type: 'string', examples: ['2030-01-31'] };
    case 'enum':
      return { type: 'string', enum: options };
    case 'list':
      return { type: 'array', items: { type: 'string' }, maxItems: 50 };
    default:
      return { type: 'string' };
  }
}
