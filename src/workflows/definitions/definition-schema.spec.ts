import { describe, expect, it } from 'vitest';
import { EVENT_NAMES } from '../../events/domain-events.js';
import { DEFINITION_SCHEMA } from './definition-schema.js';
import type { DefinitionSchema } from './schema-parts.js';
import { STEP_KINDS, WRITTEN_KIND_NAMES } from './steps/step-kinds.js';
import { TRIGGER_KEYS } from './trigger.js';

describe('the schema of definitions', () => {
  const { $defs = {} } = DEFINITION_SCHEMA;
  const kinds = $defs.step?.anyOf ?? [];

  it.each(WRITTEN_KIND_NAMES)('has the members of the step kind %s', (name) => {
    const kind = kinds.find(({ title }) => title === name);
    const known = ['id', 'if', ...STEP_KINDS[name].keys, 'on_error'];
    expect(new Set(Object.keys(kind?.properties ?? {}))).toEqual(new Set(known));
    expect(kind?.required).toEqual(expect.arrayContaining(STEP_KINDS[name].marks.slice(0, 1)));
  });

  it.each(Object.entries(TRIGGER_KEYS))('has the members of the trigger %s', (type, keys) => {
    const trigger = $defs.trigger?.anyOf?.find(({ title }) => title === type);
    expect(new Set(Object.keys(trigger?.properties ?? {}))).toEqual(new Set(keys));
    expect(trigger?.properties?.type?.enum).toEqual([type]);
  });

  it('has every event', () => {
    const [event] = [$defs.event];
    expect(event?.anyOf?.[0]?.enum).toEqual([...EVENT_NAMES]);
  });

  it('describes every member, and refers to nothing that is missing', () => {
    const check = (schema: DefinitionSchema, path: string): void => {
      const name = schema.$ref?.replace('#/$defs/', '');
      if (name !== undefined) expect($defs, path).toHaveProperty(name);
      for (const [member, inner] of Object.entries(schema.properties ?? {})) {
        expect(inner.description ?? inner.$ref, `${path}.${member}`).toBeTruthy();
        check(inner, `${path}.${member}`);
      }
      for (const inner of [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])]) {
        check(inner, path);
      }
    };
    for (const [name, schema] of Object.entries($defs)) check(schema, name);
    check(DEFINITION_SCHEMA, '');
  });
});
