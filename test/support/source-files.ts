import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, resolve } from 'node:path';
import ts from 'typescript';

/** Holds a file with its text and its syntax tree. */
export interface SourceFile {
  /** The path is relative to src and has forward slashes. */
  path: string;
  text: string;
  tree: ts.SourceFile;
}

const SRC = resolve(import.meta.dirname, '../../src');
/** Every file of src that is not a test. */
export const FILES = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /(?<!\.spec|\.d)\.ts$/.test(entry.name))
  .map((entry) => read(join(entry.parentPath, entry.name)));
/** All nodes of every file as a list, because a walk through a tree takes many times as long as a loop over a list. */
const NODES = new Map(FILES.map((file) => [file, listNodes(file.tree)]));
/** The modules that each file imports, also in types. */
export const REFERENCES = new Map(FILES.map((file) => [file, readReferences(file)]));

/** Returns the outermost folder of a path. */
export function topFolder(path: string): string {
  return path.split('/')[0]!;
}

/** Returns every relative import of src: statements, re-exports, `import()` and types written as `import('…')`. */
export function listImports(): { from: string; to: string; isType: boolean }[] {
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

/** Returns the names of all modules that a file imports. */
export function listSpecifiers(file: SourceFile): string[] {
  return REFERENCES.get(file)!.map(({ name }) => name);
}

/** Returns `file:line text` of every node for which `matches` returns true. */
export function findNodes(matches: (node: ts.Node) => boolean): string[] {
  return [...NODES].flatMap(([{ path, tree }, all]) =>
    all.filter(matches).map((node) => {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
      return `${path}:${line + 1} ${node.getText().split('\n')[0]}`;
    }),
  );
}

/** Returns the files of the first import cycle. Imports of types count. */
export function findCycle(): string | undefined {
  const edges = new Map<string, string[]>();
  for (const { from, to } of listImports()) edges.set(from, [...(edges.get(from) ?? []), to]);
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

function read(file: string): SourceFile {
  const text = readFileSync(file, 'utf8');
  const path = relative(SRC, file).replaceAll('\\', '/');
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true) };
}

function readReferences(file: SourceFile): { name: string; isType: boolean }[] {
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

function listNodes(tree: ts.SourceFile): ts.Node[] {
  const found: ts.Node[] = [tree];
  // The list grows while the loop runs.
  for (const node of found) ts.forEachChild(node, (child) => void found.push(child));
  return found;
}
