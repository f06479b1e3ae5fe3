import type { JsonSchema } from '../../../tools/schema/json-schema.js';

/**
 * Whether an expression can find a member at `path` in the value of a step whose tool returns this, as `stepValue` makes
 * it. True where the schema leaves it open.
 */
export function canGive(output: JsonSchema, path: readonly string[]): boolean {
  const [first] = path;
  if (first === undefined || reaches(output, path)) return true;
  if (Object.hasOwn(output.properties ?? {}, first)) return false;
  // The fields of the one resource of a result are reached directly as well.
  return Object.values(output.properties ?? {}).some(
    (member) => mayBeResource(member) && reaches(member, path),
  );
}

function mayBeResource(schema: JsonSchema): boolean {
  return isOpen(schema) || Object.hasOwn(schema.properties ?? {}, 'id');
}

function reaches(schema: JsonSchema, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  const types = [schema.type ?? []].flat();
  if (types.includes('array')) {
    if (first === 'size') return true;
    return (
      (/^-?\d+$/.test(first) || first === 'first' || first === 'last') &&
      reaches(schema.items ?? {}, rest)
    );
  }
  if (types.includes('object') || types.length === 0) {
    const known = schema.properties ?? {};
    if (Object.hasOwn(known, first)) return reaches(known[first]!, rest);
    return isOpen(schema);
  }
  return types.includes('string') && first === 'size';
}

/** Whether there may be members that the schema does not name. */
function isOpen(schema: JsonSchema): boolean {
  const types = [schema.type ?? []].flat();
  return (types.length === 0 || types.includes('object')) && schema.additionalProperties !== false;
}
