import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** Lists the layers from top to bottom. A file imports its own layer and the layers below. README.md describes them. */
const LAYERS = ['app', 'features', 'forms', 'ui', 'api', 'texts'];
const MOST_LINES = 300;
const WEB = import.meta.dirname;
const FILES = readdirSync(WEB, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /(?<!\.spec)\.tsx?$/.test(entry.name))
  .map((entry) => {
    const file = join(entry.parentPath, entry.name);
    const path = relative(WEB, file).replaceAll('\\', '/');
    const text = readFileSync(file, 'utf8');
    const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
    return { path, text, tree, all: listNodes(tree) };
  });

describe('the sources of the dashboard', () => {
  it('import only lower layers, and no other feature', () => {
    const faults = imports().filter(({ from, to }) => {
      const [mine, theirs] = [layer(from), layer(to)];
      if (mine < 0) return false;
      return theirs < mine || (theirs === mine && feature(from) !== feature(to));
    });
    expect(faults.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it('have texts for people only in the catalogue', () => {
    const found = nodes((node) => {
      if (ts.isJsxText(node)) return /\p{L}{2}/u.test(node.text);
      if (!ts.isJsxAttribute(node) || !node.initializer) return false;
      const isShown = /^(title|label|placeholder|alt|aria-label|description|about)$/.test(
        node.name.getText(),
      );
      return isShown && ts.isStringLiteral(node.initializer) && node.initializer.text !== '';
    });
    expect(found).toEqual([]);
  });

  it('never make HTML from text', () => {
    const names =
      /^(dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|srcDoc|srcdoc|eval|document\.write)$/;
    expect(nodes((node) => ts.isIdentifier(node) && names.test(node.text))).toEqual([]);
  });

  it('do not use the type any, enums and default exports', () => {
    const isDefault = (node: ts.Node): boolean =>
      node.kind === ts.SyntaxKind.DefaultKeyword && !ts.isDefaultClause(node.parent);
    const found = nodes(
      (node) =>
        node.kind === ts.SyntaxKind.AnyKeyword ||
        ts.isEnumDeclaration(node) ||
        ts.isExportAssignment(node) ||
        isDefault(node),
    );
    expect(found.filter((place) => !place.startsWith('vite.config.ts'))).toEqual([]);
  });

  it('have no index files and no `export *`', () => {
    const barrels = FILES.filter(({ path }) => /(^|\/)index\.tsx?$/.test(path));
    expect(barrels.map(({ path }) => path)).toEqual([]);
    expect(nodes((node) => ts.isExportDeclaration(node) && !node.exportClause)).toEqual([]);
  });

  it('have names in kebab-case, and do not exceed the largest number of lines', () => {
    const isKebab = (path: string) =>
      /^[a-z0-9]+([-.][a-z0-9]+)*\.tsx?$/.test(posix.basename(path));
    const faults = FILES.filter(
      ({ path, text }) => !isKebab(path) || text.split('\n').length > MOST_LINES + 1,
    );
    expect(faults.map(({ path }) => path)).toEqual([]);
  });
});

function layer(path: string): number {
  return LAYERS.indexOf(path.split('/')[0]!);
}

function feature(path: string): string | undefined {
  const [folder, name] = path.split('/');
  return folder === 'features' ? name : undefined;
}

function imports(): { from: string; to: string }[] {
  return FILES.flatMap(({ path, all }) =>
    all.flatMap((node) => {
      const name =
        (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier
          ? node.moduleSpecifier
          : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
            ? node.arguments[0]
            : undefined;
      if (!name || !ts.isStringLiteralLike(name) || !name.text.startsWith('.')) return [];
      return [{ from: path, to: posix.normalize(posix.join(posix.dirname(path), name.text)) }];
    }),
  );
}

function nodes(matches: (node: ts.Node) => boolean): string[] {
  return FILES.flatMap(({ path, tree, all }) =>
    all.filter(matches).map((node) => {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
      return `${path}:${line + 1} ${node.getText().trim().split('\n')[0]}`;
    }),
  );
}

/** Returns all nodes of a file as a list. A loop over the list is many times faster than a walk through the tree. */
function listNodes(tree: ts.SourceFile): ts.Node[] {
  const found: ts.Node[] = [tree];
  // The list grows while the loop runs.
  for (const node of found) ts.forEachChild(node, (child) => void found.push(child));
  return found;
}
