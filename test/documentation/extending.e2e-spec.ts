import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as validators from 'class-validator';
import { describe, expect, it } from 'vitest';
import { classSchema } from '../../src/tools/schema/class-schema.js';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const text = read('docs/extending.md');

describe('docs/extending.md', () => {
  const blocks = [...text.matchAll(/^```ts\n([^]*?)^```$/gm)];
  const linked = [...text.matchAll(/^\[.*\]\(\.\.\/(.*)\)\n\n```(?:ts|json)\n([^]*?)^```$/gm)];

  it('names the file of every code block', () => {
    expect(linked.length).toBeGreaterThan(5);
    expect(linked.filter(([, path]) => path!.endsWith('.ts')).length).toBe(blocks.length);
  });

  it.each(linked.map(([, path, code]) => [path!, code!]))('quotes %s exactly', (path, code) => {
    const file = unindented(read(path));
    let from = 0;
    // The parts between the ellipses must appear in this order.
    for (const part of unindented(code).split('// …\n')) {
      const at = file.indexOf(part, from);
      expect(at, part).toBeGreaterThanOrEqual(0);
      from = at + part.length;
    }
  });

  it('shows the dependencies of the example', () => {
    const [, shown] = /```json\n([^]*?)```/.exec(text)!;
    const indented = shown!
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`);
    expect(read('examples/purchase-orders/package.json')).toContain(indented.join('\n'));
  });

  it('lists only decorators that JSON Schema can express', () => {
    const sentence = /The class may use ([^]*?) of class-validator/.exec(text)![1]!;
    const names = [...sentence.matchAll(/`@(\w+)`/g)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(20);
    for (const name of names) expect(() => classSchema(classWith(name)), name).not.toThrow();
  });
});

describe('the packages that the example shares with Switchboard', () => {
  it('have exactly the versions that are installed here', () => {
    const { dependencies, devDependencies } = JSON.parse(
      read('examples/purchase-orders/package.json'),
    ) as Record<string, Record<string, string>>;
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { version: string }>;
    };
    const { switchboard: _, ...theirs } = { ...dependencies, ...devDependencies };
    for (const [name, version] of Object.entries(theirs)) {
      expect(packages[`node_modules/${name}`]?.version, name).toBe(version);
    }
  });
});

// Prettier formats code blocks in Markdown separately, so they start without indentation.
function unindented(code: string): string {
  return code.replaceAll(/^ +/gm, '');
}

/**
 * Returns a class with one field that has the decorator. If this decorator implies no type, the field also has a type
 * decorator.
 */
function classWith(name: string): new () => object {
  class Decorated {}
  const factories = validators as unknown as Record<
    string,
    (...given: unknown[]) => PropertyDecorator
  >;
  const given: Record<string, unknown[]> = {
    IsIn: [['a', 'b']],
    IsEnum: [{ A: 'a' }],
    Matches: [/^a$/],
    Min: [1],
    Max: [1],
    MinLength: [1],
    MaxLength: [1],
    Length: [1, 2],
    ArrayMinSize: [1],
    ArrayMaxSize: [1],
  };
  const isNumber = name === 'Min' || name === 'Max';
  const isArray = name.includes('Array');
  const isTyped = !['IsNotEmpty', 'IsOptional', 'MinLength', 'MaxLength', 'Length'].includes(name);
  factories[name]!(...(given[name] ?? []))(Decorated.prototype, 'field');
  if (isNumber) factories['IsInt']!()(Decorated.prototype, 'field');
  if (isArray) {
    factories['IsArray']!()(Decorated.prototype, 'field');
    factories['IsString']!({ each: true })(Decorated.prototype, 'field');
  }
  if (!isTyped) factories['IsString']!()(Decorated.prototype, 'field');
  return Decorated;
}
