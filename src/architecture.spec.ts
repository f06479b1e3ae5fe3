import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** Every feature may import these folders. */
const FOUNDATION = [
  'accounts',
  'batching',
  'changes',
  'completions',
  'database',
  'errors',
  'events',
  'http',
  'paging',
  'policies',
  'prompts',
  'resources',
  'security',
  'text',
  'tools',
];
/** Lists what each folder may import besides itself and `config`. docs/architecture.md describes the folders. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  config: [],
  errors: [],
  failpoints: [],
  batching: [],
  text: ['errors'],
  security: [],
  database: ['batching', 'errors', 'security', 'text'],
  http: ['database', 'errors', 'security', 'text'],
  liquid: ['errors', 'text'],
  code: ['errors', 'liquid', 'text'],
  queue: ['database', 'errors', 'failpoints', 'text'],
  changes: ['database', 'errors'],
  events: ['database', 'text'],
  mail: ['text'],
  policies: ['changes', 'database', 'errors'],
  accounts: ['changes', 'database', 'errors', 'http', 'mail', 'policies', 'security', 'text'],
  'change-streams': ['accounts', 'changes', 'errors', 'http'],
  keys: [
    'accounts',
    'batching',
    'changes',
    'database',
    'errors',
    'failpoints',
    'http',
    'policies',
    'security',
    'text',
    'tools',
  ],
  tools: ['accounts', 'changes', 'database', 'errors', 'failpoints', 'http', 'policies', 'text'],
  paging: ['errors', 'text', 'tools'],
  resources: ['errors', 'policies', 'text', 'tools'],
  prompts: ['errors', 'policies', 'text', 'tools'],
  completions: ['errors', 'policies', 'prompts', 'resources', 'text', 'tools'],
  mcp: [
    'accounts',
    'changes',
    'completions',
    'errors',
    'http',
    'keys',
    'policies',
    'prompts',
    'resources',
    'security',
    'text',
    'tools',
  ],
  'command-line': ['keys', 'mcp', 'text', 'tools'],
  openapi: ['accounts', 'custom-events', 'files', 'http', 'imports', 'keys', 'mcp', 'tools'],
  secrets: ['accounts', 'database', 'errors', 'tools'],
  files: ['accounts', 'database', 'errors', 'http', 'keys', 'tools'],
  outbound: ['errors', 'files', 'http', 'secrets', 'security', 'text', 'tools'],
  senders: ['accounts', 'database', 'errors', 'text', 'tools'],
  channels: [
    'accounts',
    'database',
    'errors',
    'failpoints',
    'files',
    'mail',
    'outbound',
    'senders',
    'text',
    'tools',
  ],
  contacts: [...FOUNDATION, 'channels'],
  imports: [...FOUNDATION, 'contacts', 'files', 'keys', 'queue'],
  'custom-events': [...FOUNDATION, 'contacts', 'keys'],
  segments: [...FOUNDATION, 'contacts', 'queue'],
  templates: [...FOUNDATION, 'channels', 'contacts', 'liquid'],
  pacing: [...FOUNDATION, 'channels', 'contacts'],
  topics: [...FOUNDATION, 'contacts'],
  messaging: [
    ...FOUNDATION,
    'channels',
    'contacts',
    'failpoints',
    'files',
    'liquid',
    'pacing',
    'queue',
    'senders',
    'templates',
    'topics',
  ],
  permission: [...FOUNDATION, 'contacts', 'messaging', 'topics'],
  workflows: [
    ...FOUNDATION,
    'code',
    'contacts',
    'failpoints',
    'files',
    'liquid',
    'queue',
    'secrets',
    'segments',
    'templates',
  ],
  audit: ['accounts', 'database', 'errors', 'paging', 'text', 'tools'],
  quotas: ['database', 'errors'],
  retention: ['accounts', 'database', 'errors', 'text', 'tools'],
  dashboard: [],
  demo: ['accounts', 'database', 'errors', 'keys', 'policies', 'text', 'tools'],
  operations: ['database', 'errors', 'http', 'queue'],
};
/** Composes the application, so it may import every folder; only `main.ts` imports it. */
const BOOTSTRAP = 'bootstrap';
/** Lists what each Nest module inside `workflows` may import. A row names only rows above it. */
const WORKFLOWS_MAY_IMPORT: Record<string, readonly string[]> = {
  definitions: [],
  store: ['definitions'],
  payloads: ['definitions'],
  journal: ['definitions', 'payloads'],
  waits: ['definitions', 'journal'],
  triggers: ['definitions', 'payloads', 'journal', 'store'],
  runs: ['definitions', 'payloads', 'journal', 'store', 'triggers'],
  offers: ['definitions', 'store', 'triggers', 'runs'],
  webhooks: ['definitions', 'payloads', 'waits', 'store', 'triggers', 'runs'],
  engine: ['definitions', 'payloads', 'journal', 'waits', 'store', 'triggers', 'runs', 'webhooks'],
  authoring: ['definitions', 'store', 'triggers', 'offers', 'webhooks'],
};
/** Lists the layers of a feature, the edge first. A file may import its own layer and the layers below. */
const LAYERS = [
  /\.(controller|tools|prompts|completions|worker|guard)\.ts$/,
  /\.service\.ts$/,
  /\.repository\.ts$/,
  /\.entity\.ts$/,
];
const PURE_FOLDERS = [
  'code',
  'config',
  'errors',
  'liquid',
  'batching',
  'text',
  'workflows/definitions',
  'workflows/webhooks/signatures',
];
const VAGUE_FOLDERS = new Set(['common', 'utils', 'util', 'helpers', 'helper', 'shared', 'misc']);
const MOST_LINES = 300;
const MOST_PROVIDERS = 25;
const MOST_PARAMETERS = 7;
/** A file with one of these suffixes has one class, named after the file: `contact.tools.ts` has `ContactTools`. */
const ROLE_SUFFIX =
  /\.(controller|tools|prompts|completions|worker|guard|filter|service|runner|repository|module)\.ts$/;
/** Lists the suffixes that a file name may have, so that one role has one suffix. */
const SUFFIXES =
  /^(controller|tools|prompts|completions|worker|guard|filter|strategy|service|runner|repository|entity|inputs|results|decorator|encoder|module)$/;
/** Returns true for files that compose the application. They may import every folder. */
const isRoot = (path: string): boolean => !path.includes('/') || top(path) === BOOTSTRAP;
/** Only `prepareDatabase` may run migrations. */
const OUTSIDE_SRC: Record<string, readonly string[]> = {
  '../migrations/index.js': ['database/setup/prepare-database.ts'],
};

interface SourceFile {
  /** The path is relative to src and has forward slashes. */
  path: string;
  text: string;
  tree: ts.SourceFile;
}

const SRC = import.meta.dirname;
const FILES = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /(?<!\.spec|\.d)\.ts$/.test(entry.name))
  .map((entry) => read(join(entry.parentPath, entry.name)));
/** Has all nodes of every file, because a walk through the trees takes many times as long as a loop. */
const NODES = new Map(FILES.map((file) => [file, listNodes(file.tree)]));
const REFERENCES = new Map(FILES.map((file) => [file, references(file)]));

describe('architecture', () => {
  it('has a row in the import table for every folder', () => {
    const folders = new Set(FILES.filter(({ path }) => !isRoot(path)).map(({ path }) => top(path)));
    expect([...folders].filter((folder) => !Object.hasOwn(MAY_IMPORT, folder))).toEqual([]);
  });

  it('has no import that the table does not list', () => {
    const faults = imports().flatMap(({ from, to }) => {
      if (isRoot(from)) return [];
      if (to.startsWith('../')) {
        return OUTSIDE_SRC[to]?.includes(from) ? [] : [`${from} imports ${to}`];
      }
      const [mine, theirs] = [top(from), top(to)];
      const allowed = [mine, 'config', ...(MAY_IMPORT[mine] ?? [])];
      return allowed.includes(theirs) && !isRoot(to)
        ? []
        : [`${from} imports ${to}; ${mine} may import ${allowed.join(', ')}`];
    });
    expect(faults).toEqual([]);
  });

  it('has a row in the table of workflows for every folder inside, and no other file than the module', () => {
    const parts = FILES.map(({ path }) => path.split('/')).filter(([mine]) => mine === 'workflows');
    const folders = new Set(parts.filter(({ length }) => length > 2).map(([, folder]) => folder!));
    expect([...folders].sort()).toEqual(Object.keys(WORKFLOWS_MAY_IMPORT).sort());
    const beside = parts.filter(({ length }) => length === 2).map(([, file]) => file);
    expect(beside).toEqual(['workflows.module.ts']);
  });

  it('has no import inside workflows that this table does not list', () => {
    const faults = imports().flatMap(({ from, to }) => {
      const [mine, theirs] = [workflowsFolder(from), workflowsFolder(to)];
      if (mine === undefined || top(to) !== 'workflows') return [];
      const allowed = [mine, ...(WORKFLOWS_MAY_IMPORT[mine] ?? [])];
      return theirs !== undefined && allowed.includes(theirs)
        ? []
        : [`${from} imports ${to}; ${mine} may import ${allowed.join(', ')}`];
    });
    expect(faults).toEqual([]);
  });

  it('has no cycle in the table of workflows', () => {
    const rows = Object.keys(WORKFLOWS_MAY_IMPORT);
    const faults = Object.entries(WORKFLOWS_MAY_IMPORT).flatMap(([folder, others], index) =>
      others
        .filter((other) => !rows.slice(0, index).includes(other))
        .map((other) => `${other} is not above ${folder}`),
    );
    expect(faults).toEqual([]);
  });

  it('has no import of an upper layer: edge, service, repository, entity', () => {
    const faults = imports().filter(({ from, to }) => {
      const [mine, theirs] = [layer(from), layer(to)];
      return mine > 0 && theirs >= 0 && theirs < mine;
    });
    expect(faults.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it('loads nothing but modules of Node.js in the command line, which must start quickly', () => {
    const loaded = new Set<string>();
    const edges = imports().filter(({ isType }) => !isType);
    const load = (path: string): void => {
      if (loaded.has(path)) return;
      loaded.add(path);
      for (const { from, to } of edges) if (from === path) load(to);
    };
    load('command-line/main.ts');
    const others = FILES.filter(({ path }) => loaded.has(path)).flatMap((file) =>
      REFERENCES.get(file)!
        .filter(({ name, isType }) => !isType && !/^(\.|node:)/.test(name))
        .map(({ name }) => `${file.path} imports ${name}`),
    );
    expect(loaded.size).toBeGreaterThan(10);
    expect(others).toEqual([]);
  });

  it('imports repositories only inside their own folder', () => {
    const faults = imports().filter(
      ({ from, to }) => to.endsWith('.repository.ts') && top(from) !== top(to),
    );
    expect(faults.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it('imports no Nest in configuration, errors, templates, definitions and signatures', () => {
    const isPure = (path: string) => PURE_FOLDERS.some((folder) => path.startsWith(`${folder}/`));
    const faults = FILES.filter(({ path }) => isPure(path)).flatMap((file) =>
      specifiers(file)
        .filter((name) => name.startsWith('@nestjs/'))
        .filter(() => !file.path.endsWith('.module.ts') && !file.path.endsWith('.filter.ts'))
        .map((name) => `${file.path} imports ${name}`),
    );
    expect(faults).toEqual([]);
  });

  it('has no circular imports, not even of types', () => {
    expect(findCycle()).toBeUndefined();
  });

  it('has a Nest module in every folder of workflows, except in the pure definitions', () => {
    const modules = Object.keys(WORKFLOWS_MAY_IMPORT)
      .filter((folder) => !PURE_FOLDERS.includes(`workflows/${folder}`))
      .map((folder) => `workflows/${folder}/${folder}.module.ts`);
    const paths = new Set(FILES.map(({ path }) => path));
    expect(modules.filter((path) => !paths.has(path))).toEqual([]);
  });

  it(`has no module with more than ${MOST_PROVIDERS} providers`, () => {
    const isTooLong = (node: ts.Node): boolean =>
      ts.isPropertyAssignment(node) &&
      node.name.getText() === 'providers' &&
      ts.isArrayLiteralExpression(node.initializer) &&
      node.initializer.elements.length > MOST_PROVIDERS;
    expect(nodes(isTooLong)).toEqual([]);
  });

  it(`has no constructor with more than ${MOST_PARAMETERS} parameters`, () => {
    const isTooLong = (node: ts.Node): boolean =>
      ts.isConstructorDeclaration(node) && node.parameters.length > MOST_PARAMETERS;
    expect(nodes(isTooLong)).toEqual([]);
  });

  it('names the class of a file with a layer suffix after the file', () => {
    const faults = FILES.filter(({ path }) => ROLE_SUFFIX.test(path)).flatMap(({ path, tree }) => {
      const expected = pascal(posix.basename(path, '.ts'));
      const classes = tree.statements
        .filter(ts.isClassDeclaration)
        .map(({ name }) => name?.text ?? '');
      return classes.includes(expected) ? [] : [`${path} has no class ${expected}`];
    });
    expect(faults).toEqual([]);
  });

  it('has no file with another suffix than the listed ones', () => {
    const suffixes = FILES.map(({ path }) => ({ path, parts: posix.basename(path).split('.') }));
    const faults = suffixes.filter(({ parts }) =>
      parts.slice(1, -1).some((suffix) => !SUFFIXES.test(suffix)),
    );
    expect(faults.map(({ path }) => path)).toEqual([]);
  });

  it('gives every class with @Injectable or @Controller a file with a suffix of its role', () => {
    const faults = FILES.filter(({ path }) => path.startsWith('workflows/')).flatMap((file) =>
      file.tree.statements
        .filter(ts.isClassDeclaration)
        .filter((node) => /@(Injectable|Controller)\(/.test(node.getText().split('class ')[0]!))
        .filter(() => !ROLE_SUFFIX.test(file.path))
        .map(({ name }) => `${file.path}: ${name?.text}`),
    );
    expect(faults).toEqual([]);
  });

  it('has no forwardRef', () => {
    expect(nodes(isIdentifier('forwardRef'))).toEqual([]);
  });

  it('has no index files and no `export *`', () => {
    const barrels = FILES.filter(({ path }) => path.endsWith('/index.ts')).map(({ path }) => path);
    // A re-export by name makes one thing public. Only `export *` makes a barrel.
    const isStar = (node: ts.Node) =>
      ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined && !node.exportClause;
    expect([...barrels, ...nodes(isStar)]).toEqual([]);
  });

  it('does not use the type any', () => {
    expect(nodes((node) => node.kind === ts.SyntaxKind.AnyKeyword)).toEqual([]);
  });

  it('does not use enum', () => {
    expect(nodes(ts.isEnumDeclaration)).toEqual([]);
  });

  it('reads process.env in config only', () => {
    // The name is checked first, because the text of a long expression is slow to get.
    const isNamedEnv = (node: ts.Node): boolean =>
      ts.isPropertyAccessExpression(node)
        ? node.name.text === 'env'
        : ts.isElementAccessExpression(node) &&
          /^['"]env['"]$/.test(node.argumentExpression.getText());
    const isEnvironment = (node: ts.Node) =>
      isNamedEnv(node) && /^(globalThis\.)?process(\?\.|\.|\[['"])env\b/.test(node.getText());
    const faults = nodes(isEnvironment).filter((place) => !place.startsWith('config/'));
    expect(faults).toEqual([]);
  });

  it('has no default exports', () => {
    const isDefault = (node: ts.Node) =>
      ts.isExportAssignment(node) || node.kind === ts.SyntaxKind.DefaultKeyword
        ? !ts.isDefaultClause(node) && !ts.isDefaultClause(node.parent)
        : false;
    expect(nodes(isDefault)).toEqual([]);
  });

  it('names folders for what they do', () => {
    const vague = FILES.flatMap(({ path }) => path.split('/').slice(0, -1)).filter((folder) =>
      VAGUE_FOLDERS.has(folder),
    );
    expect([...new Set(vague)]).toEqual([]);
  });

  it('names files in kebab-case', () => {
    const isKebab = (path: string) => /^[a-z0-9]+([-.][a-z0-9]+)*\.ts$/.test(posix.basename(path));
    expect(FILES.map(({ path }) => path).filter((path) => !isKebab(path))).toEqual([]);
  });

  it(`keeps every file within ${MOST_LINES} lines`, () => {
    const faults = FILES.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
      .filter(({ lines }) => lines > MOST_LINES)
      .map(({ path, lines }) => `${path} has ${lines} lines`);
    expect(faults).toEqual([]);
  });
});

function read(file: string): SourceFile {
  const text = readFileSync(file, 'utf8');
  const path = relative(SRC, file).replaceAll('\\', '/');
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true) };
}

function top(path: string): string {
  return path.split('/')[0]!;
}

/** Returns the folder inside `workflows` that contains the file, at any depth. */
function workflowsFolder(path: string): string | undefined {
  const [mine, folder, file] = path.split('/');
  return mine === 'workflows' && file !== undefined ? folder : undefined;
}

function layer(path: string): number {
  return LAYERS.findIndex((pattern) => pattern.test(path));
}

/** Returns every relative import of src: statements, re-exports, `import()` and types written as `import('…')`. */
function imports(): { from: string; to: string; isType: boolean }[] {
  return [...REFERENCES].flatMap(([file, all]) =>
    all
      .filter(({ name }) => name.startsWith('.'))
      .map(({ name, isType }) => {
        const target = posix.normalize(posix.join(posix.dirname(file.path), name));
        const to = target.startsWith('../') ? target : target.replace(/\.js$/, '.ts');
        return { from: file.path, to, isType };
      }),
  );
}

function specifiers(file: SourceFile): string[] {
  return REFERENCES.get(file)!.map(({ name }) => name);
}

function references(file: SourceFile): { name: string; isType: boolean }[] {
  return NODES.get(file)!.flatMap((node) => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      const isType = ts.isImportDeclaration(node)
        ? node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
        : node.isTypeOnly;
      return [{ name: (node.moduleSpecifier as ts.StringLiteral).text, isType }];
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [name] = node.arguments;
      return [
        { name: name && ts.isStringLiteralLike(name) ? name.text : './computed', isType: false },
      ];
    }
    return ts.isImportTypeNode(node)
      ? [{ name: node.argument.getText().slice(1, -1), isType: true }]
      : [];
  });
}

/** Returns `file:line text` of every node for which `matches` returns true. */
function nodes(matches: (node: ts.Node) => boolean): string[] {
  return [...NODES].flatMap(([{ path, tree }, all]) =>
    all.filter(matches).map((node) => {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
      return `${path}:${line + 1} ${node.getText().split('\n')[0]}`;
    }),
  );
}

function isIdentifier(name: string): (node: ts.Node) => boolean {
  return (node) => ts.isIdentifier(node) && node.text === name;
}

function listNodes(tree: ts.SourceFile): ts.Node[] {
  const found: ts.Node[] = [tree];
  // The list grows while the loop runs.
  for (const node of found) ts.forEachChild(node, (child) => void found.push(child));
  return found;
}

/** Converts `contact.tools` to `ContactTools`. */
function pascal(name: string): string {
  return name.replaceAll(/(?:^|[-.])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the files of the first import cycle. Imports of types count. */
function findCycle(): string | undefined {
  const edges = new Map<string, string[]>();
  for (const { from, to } of imports()) edges.set(from, [...(edges.get(from) ?? []), to]);
  const done = new Set<string>();
  const visit = (path: string, trail: string[]): string | undefined => {
    const start = trail.indexOf(path);
    if (start >= 0) return [...trail.slice(start), path].join(' -> ');
    if (done.has(path)) return undefined;
    for (const next of edges.get(path) ?? []) {
      const cycle = visit(next, [...trail, path]);
      if (cycle) return cycle;
    }
    done.add(path);
    return undefined;
  };
  for (const path of edges.keys()) {
    const cycle = visit(path, []);
    if (cycle) return cycle;
  }
  return undefined;
}
