import { renderToStaticMarkup } from 'react-dom/server';
import { beforeAll, describe, expect, it } from 'vitest';
import { isObject } from '../api/reader.ts';
import { draftOf } from './draft.ts';
import { readDraft } from './read-draft.ts';
import { type Schema, readSchema } from './schema.ts';
import { SchemaForm } from './schema-form.tsx';

interface Tool {
  name: string;
  inputSchema: unknown;
}

// The test loads the complete service, which may take long on a busy machine.
const LOADING_MS = 120_000;

describe('the form of every registered tool', () => {
  let tools: Tool[];

  beforeAll(async () => {
    tools = await registeredTools();
  }, LOADING_MS);

  it('is drawn with a field for each argument', () => {
    expect(tools.length).toBeGreaterThan(40);
    for (const { name, inputSchema } of tools) {
      const html = renderToStaticMarkup(
        <SchemaForm schema={inputSchema} action={name} onSubmit={() => undefined} />,
      );
      for (const argument of readSchema(inputSchema).properties?.keys() ?? []) {
        expect(html, name).toContain(`>${argument}`);
      }
      expect(html, name).not.toContain('[object Object]');
    }
  });

  it('reports only required arguments when the form is empty', () => {
    for (const { name, inputSchema } of tools) {
      const schema = readSchema(inputSchema);
      const { faults, value } = readDraft(schema, draftOf(schema, {}));
      const missing = [...schema.required].filter((each) => !mayBeEmpty(schema, each));
      expect(faults.map(({ path }) => path).sort(), name).toEqual(missing.sort());
      expect(Object.keys(isObject(value) ? value : {}).length, name).toBeLessThanOrEqual(
        schema.required.size,
      );
    }
  });

  it('returns every example of an argument unchanged', () => {
    for (const { name, inputSchema } of tools) {
      for (const [argument, schema] of readSchema(inputSchema).properties ?? []) {
        for (const example of schema.examples ?? []) {
          const { value, faults } = readDraft(schema, draftOf(schema, example));
          expect({ value, faults }, `${name}.${argument}`).toEqual({ value: example, faults: [] });
        }
      }
    }
  });
});

/** Returns true when the schema allows an empty text or list as the value of this property. */
function mayBeEmpty(schema: Schema, name: string): boolean {
  const inner = schema.properties?.get(name);
  if (inner?.type === 'array')
    return inner.items?.type !== 'object' || Boolean(inner.items.properties);
  return inner?.type === 'string' && !inner.enum && !inner.minLength;
}

/**
 * Reads the tools from the registry of the service. The path of the import is a variable, so that TypeScript does not
 * check the sources of the service with the settings of `web`.
 */
async function registeredTools(): Promise<Tool[]> {
  const path = '../../src/bootstrap/preview-tool-registry.ts';
  const module: unknown = await import(path);
  if (!isObject(module) || typeof module.previewToolRegistry !== 'function') throw new Error(path);
  const registry: unknown = await module.previewToolRegistry();
  if (!isRegistry(registry)) throw new Error('The registry has no list of tools.');
  return registry.all().map(({ descriptor }) => descriptor);
}

function isRegistry(value: unknown): value is { all: () => { descriptor: Tool }[] } {
  return isObject(value) && typeof value.all === 'function';
}
