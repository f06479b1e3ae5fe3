import { describe, expect, it } from 'vitest';
import {
  FILES,
  findCycle,
  listImports,
  REFERENCES,
  listSpecifiers,
  topFolder,
} from '../test/support/source-files.js';

/** The folders that every feature may import. */
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
/** The folders that each folder may import besides itself and `config`. docs/architecture.md describes the folders. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  config: [],
  errors: [],
  failpoints: [],
  batching: [],
  turns: ['errors'],
  text: ['errors'],
  security: [],
  database: ['batching', 'errors', 'security', 'text'],
  http: ['database', 'errors', 'security', 'text', 'turns'],
  liquid: ['errors', 'text', 'turns'],
  code: ['errors', 'text', 'turns'],
  queue: ['database', 'errors', 'failpoints', 'text'],
  changes: ['database', 'errors'],
  events: ['database', 'text'],
  mail: ['text', 'turns'],
  policies: ['changes', 'database', 'errors', 'text'],
  accounts: [
    'batching',
    'changes',
    'database',
    'errors',
    'http',
    'mail',
    'policies',
    'security',
    'text',
  ],
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
  files: ['accounts', 'database', 'errors', 'http', 'keys', 'text', 'tools', 'turns'],
  outbound: ['errors', 'files', 'http', 'secrets', 'security', 'text', 'tools', 'turns'],
  senders: ['accounts', 'database', 'errors', 'http', 'text', 'tools', 'turns'],
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
  imports: [...FOUNDATION, 'contacts', 'files', 'keys', 'queue', 'turns'],
  'custom-events': [...FOUNDATION, 'contacts', 'keys'],
  segments: [...FOUNDATION, 'contacts', 'queue'],
  templates: [...FOUNDATION, 'channels', 'contacts', 'liquid', 'turns'],
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
    'turns',
  ],
  audit: ['accounts', 'database', 'errors', 'paging', 'queue', 'text', 'tools'],
  quotas: ['database', 'errors'],
  retention: ['accounts', 'database', 'errors', 'text', 'tools'],
  dashboard: ['text'],
  demo: ['accounts', 'database', 'errors', 'keys', 'policies', 'text', 'tools'],
  operations: ['database', 'errors', 'http', 'queue'],
};
/** The folder that composes the application. It may import every folder; only `main.ts` imports it. */
const BOOTSTRAP = 'bootstrap';
/** The modules that each Nest module inside `workflows` may import. A row names only rows above it. */
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
/** The layers of a feature, the edge first. A file may import its own layer and the layers below. */
const LAYERS = [
  /\.(controller|tools|prompts|completions|worker|guard)\.ts$/,
  /\.service\.ts$/,
  /\.repository\.ts$/,
  /\.entity\.ts$/,
];
/** Returns true for files that compose the application. They may import every folder. */
const isRoot = (path: string): boolean => !path.includes('/') || topFolder(path) === BOOTSTRAP;
const PURE_FOLDERS = [
  'code',
  'config',
  'errors',
  'liquid',
  'batching',
  'text',
  'turns',
  'workflows/definitions',
  'workflows/webhooks/signatures',
];
/** The modules that only `prepareDatabase` may import, because nothing else may run migrations. */
const OUTSIDE_SRC: Record<string, readonly string[]> = {
  '../migrations/index.js': ['database/setup/prepare-database.ts'],
};

describe('the code of src', () => {
  it('has a row in the import table for every folder', () => {
    const folders = new Set(
      FILES.filter(({ path }) => !isRoot(path)).map(({ path }) => topFolder(path)),
    );
    expect([...folders].filter((folder) => !Object.hasOwn(MAY_IMPORT, folder))).toEqual([]);
  });

  it('has no import that the table does not list', () => {
    const faults = listImports().flatMap(({ from, to }) => {
      if (isRoot(from)) return [];
      if (to.startsWith('../')) {
        return OUTSIDE_SRC[to]?.includes(from) ? [] : [`${from} imports ${to}`];
      }
      const [mine, theirs] = [topFolder(from), topFolder(to)];
      const allowed = [mine, 'config', ...(MAY_IMPORT[mine] ?? [])];
      return allowed.includes(theirs) && !isRoot(to)
        ? []
        : [`${from} imports ${to}; ${mine} may import ${allowed.join(', ')}`];
    });
    expect(faults).toEqual([]);
  });

  it('has in src/workflows only the module and the folders of the table of workflows', () => {
    const parts = FILES.map(({ path }) => path.split('/')).filter(([mine]) => mine === 'workflows');
    const folders = new Set(parts.filter(({ length }) => length > 2).map(([, folder]) => folder!));
    expect([...folders].sort()).toEqual(Object.keys(WORKFLOWS_MAY_IMPORT).sort());
    const beside = parts.filter(({ length }) => length === 2).map(([, file]) => file);
    expect(beside).toEqual(['workflows.module.ts']);
  });

  it('has no import inside workflows that the table of workflows does not list', () => {
    const faults = listImports().flatMap(({ from, to }) => {
      const [mine, theirs] = [workflowsFolder(from), workflowsFolder(to)];
      if (mine === undefined || topFolder(to) !== 'workflows') return [];
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

  it('imports no upper layer, in the order of edge, service, repository and entity', () => {
    const faults = listImports().filter(({ from, to }) => {
      const [mine, theirs] = [layer(from), layer(to)];
      return mine > 0 && theirs >= 0 && theirs < mine;
    });
    expect(faults.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it('loads only modules of Node.js in the command line, which must start quickly', () => {
    const loaded = new Set<string>();
    const edges = listImports().filter(({ isType }) => !isType);
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
    const faults = listImports().filter(
      ({ from, to }) => to.endsWith('.repository.ts') && topFolder(from) !== topFolder(to),
    );
    expect(faults.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it('imports no Nest in configuration, errors, templates, definitions and signatures', () => {
    const isPure = (path: string) => PURE_FOLDERS.some((folder) => path.startsWith(`${folder}/`));
    const faults = FILES.filter(({ path }) => isPure(path)).flatMap((file) =>
      listSpecifiers(file)
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
});

/** Returns the folder inside `workflows` that contains the file, at any depth. */
function workflowsFolder(path: string): string | undefined {
  const [mine, folder, file] = path.split('/');
  return mine === 'workflows' && file !== undefined ? folder : undefined;
}

function layer(path: string): number {
  return LAYERS.findIndex((pattern) => pattern.test(path));
}
