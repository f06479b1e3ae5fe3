import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../tools/schema/json-schema.js';
import { canHaveMember } from './tool-schemas.js';

const closed = (properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...more,
});
const TEXT: JsonSchema = { type: 'string' };
const contact = closed({
  id: { type: 'string' },
  email: { type: ['string', 'null'] },
  tags: { type: 'array', items: { type: 'string' } },
  properties: { type: 'object' },
});
const created = closed({ contact, created: { type: 'boolean' } });

const gives = (schema: JsonSchema, path: string): boolean => canHaveMember(schema, path.split('.'));

describe(canHaveMember, () => {
  it.each([
    'created',
    'contact',
    'contact.email',
    'contact.properties.anything.at.all',
    // Expressions can read the fields of a resource directly when the result has only one resource.
    'email',
    'id',
    'tags.0',
    'tags.first',
    'tags.size',
    'tags.-1',
    'email.size',
    'properties.plan',
  ])('finds %s', (path) => {
    expect(gives(created, path)).toBe(true);
  });

  it.each([
    'nope',
    'contact.nope',
    'created.at',
    'created.id',
    'tags.name',
    'tags.0.name',
    'email.domain',
  ])('does not find %s', (path) => {
    expect(gives(created, path)).toBe(false);
  });

  it('accepts every member when the schema is open', () => {
    expect(gives(closed({ body: { type: 'object' } }), 'body.json.number')).toBe(true);
    // The object `body` may be the resource, and `number` may be a field of this resource.
    expect(gives(closed({ body: { type: 'object' } }), 'number')).toBe(true);
    expect(gives(closed({ items: { type: 'array' } }), 'items.0.name')).toBe(true);
    expect(gives({ type: 'object', properties: {} }, 'x')).toBe(true);
  });

  it('prefers a member of the result to a member of the resource, as expressions do', () => {
    const hidden = closed({
      contact: closed({ id: TEXT, note: { type: 'object' } }),
      note: TEXT,
    });
    expect(gives(hidden, 'contact.note.x')).toBe(true);
    expect(gives(hidden, 'note.x')).toBe(false);
  });

  it('accepts members of results that may be null', () => {
    const nullable = closed({ contact: { ...contact, type: ['object', 'null'] } });
    expect(gives(nullable, 'contact.email')).toBe(true);
    expect(gives(nullable, 'email')).toBe(true);
    expect(gives(nullable, 'contact.nope')).toBe(false);
  });
});
