import { posix } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { FILES, findNodes } from '../test/support/source-files.js';

const VAGUE_FOLDERS = new Set(['common', 'utils', 'util', 'helpers', 'helper', 'shared', 'misc']);
const MOST_LINES = 300;
const MOST_PROVIDERS = 25;
const MOST_PARAMETERS = 7;
/** A file with one of these suffixes has one class, named after the file: `contact.tools.ts` has `ContactTools`. */
const ROLE_SUFFIX =
  /\.(controller|tools|prompts|completions|worker|guard|filter|service|runner|repository|module)\.ts$/;
/** The suffixes that a file name may have, so that one role has one suffix. */
const SUFFIXES =
  /^(controller|tools|prompts|completions|worker|guard|filter|strategy|service|runner|repository|entity|inputs|results|decorator|encoder|module)$/;
/**
 * The files that may call the URL parser of Node.js directly, each with the reason. All other files call `parseUrl`,
 * `isUrl`, `asciiDomain` or `unicodeDomain`. These functions check the length first, because the parser takes seconds
 * for a long host.
 */
const PARSES_URLS: Record<string, string> = {
  'text/parse-url.ts': 'checks the length first',
  'text/domain-forms.ts': 'checks the length first',
  'accounts/cross-site.guard.ts': 'parses a setting',
  'bootstrap/testing.ts': 'requests the service that a test started',
  'command-line/service-address.ts': 'parses a setting of the command',
  'config/outbound-proxy.ts': 'parses a setting',
  'http/client-address.ts': 'parses an IPv6 address that was checked before',
  'http/origins.ts': 'parses a setting',
  'queue/bull-queue.module.ts': 'parses a setting',
};
/** The files that normalize text, each with the reason why this does not take long. */
const NORMALIZES_TEXT: Record<string, string> = {
  'accounts/account.ts': 'checks the length first',
  'contacts/contact-fields.ts': 'normalizes no long sequence of combining marks',
  'contacts/sms-keyword.ts': 'checks the length first',
};

describe('the code of src', () => {
  it(`has no module with more than ${MOST_PROVIDERS} providers`, () => {
    const isTooLong = (node: ts.Node): boolean =>
      ts.isPropertyAssignment(node) &&
      node.name.getText() === 'providers' &&
      ts.isArrayLiteralExpression(node.initializer) &&
      node.initializer.elements.length > MOST_PROVIDERS;
    expect(findNodes(isTooLong)).toEqual([]);
  });

  it(`has no constructor with more than ${MOST_PARAMETERS} parameters`, () => {
    const isTooLong = (node: ts.Node): boolean =>
      ts.isConstructorDeclaration(node) && node.parameters.length > MOST_PARAMETERS;
    expect(findNodes(isTooLong)).toEqual([]);
  });

  it('has a class with the name of the file in each file with a layer suffix', () => {
    const faults = FILES.filter(({ path }) => ROLE_SUFFIX.test(path)).flatMap(({ path, tree }) => {
      const expected = pascal(posix.basename(path, '.ts'));
      const classes = tree.statements
        .filter(ts.isClassDeclaration)
        .map(({ name }) => name?.text ?? '');
      return classes.includes(expected) ? [] : [`${path} has no class ${expected}`];
    });
    expect(faults).toEqual([]);
  });

  it('has no file with a suffix that is not listed', () => {
    const suffixes = FILES.map(({ path }) => ({ path, parts: posix.basename(path).split('.') }));
    const faults = suffixes.filter(({ parts }) =>
      parts.slice(1, -1).some((suffix) => !SUFFIXES.test(suffix)),
    );
    expect(faults.map(({ path }) => path)).toEqual([]);
  });

  it('has every class with @Injectable or @Controller in a file whose suffix names the role of the class', () => {
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
    expect(findNodes(isIdentifier('forwardRef'))).toEqual([]);
  });

  it('has no index files and no `export *`', () => {
    const barrels = FILES.filter(({ path }) => path.endsWith('/index.ts')).map(({ path }) => path);
    // A re-export by name makes one thing public. `export *` makes everything public, as an index file does.
    const isStar = (node: ts.Node) =>
      ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined && !node.exportClause;
    expect([...barrels, ...findNodes(isStar)]).toEqual([]);
  });

  it('does not use the type any', () => {
    expect(findNodes((node) => node.kind === ts.SyntaxKind.AnyKeyword)).toEqual([]);
  });

  it('does not use enum', () => {
    expect(findNodes(ts.isEnumDeclaration)).toEqual([]);
  });

  it('reads process.env only in config', () => {
    // The name is checked first, because the text of a long expression is slow to get.
    const isNamedEnv = (node: ts.Node): boolean =>
      ts.isPropertyAccessExpression(node)
        ? node.name.text === 'env'
        : ts.isElementAccessExpression(node) &&
          /^['"]env['"]$/.test(node.argumentExpression.getText());
    const isEnvironment = (node: ts.Node) =>
      isNamedEnv(node) && /^(globalThis\.)?process(\?\.|\.|\[['"])env\b/.test(node.getText());
    const faults = findNodes(isEnvironment).filter((place) => !place.startsWith('config/'));
    expect(faults).toEqual([]);
  });

  it('gives texts to the URL parser of Node.js only in files that are listed with a reason', () => {
    expect(filesWith(parsesUrl)).toEqual(Object.keys(PARSES_URLS).sort());
  });

  it('normalizes text only in files that are listed with a reason', () => {
    const normalizes = (node: ts.Node): boolean =>
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      node.expression.name.text === 'normalize' &&
      (node.arguments.length === 0 || ts.isStringLiteral(node.arguments[0]!));
    expect(filesWith(normalizes)).toEqual(Object.keys(NORMALIZES_TEXT).sort());
  });

  it('has no default exports', () => {
    const isDefault = (node: ts.Node) =>
      ts.isExportAssignment(node) || node.kind === ts.SyntaxKind.DefaultKeyword
        ? !ts.isDefaultClause(node) && !ts.isDefaultClause(node.parent)
        : false;
    expect(findNodes(isDefault)).toEqual([]);
  });

  it('has no folder with a vague name, such as utils', () => {
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

/** Returns the sorted paths of the files that have a matching node. */
function filesWith(matches: (node: ts.Node) => boolean): string[] {
  return [...new Set(findNodes(matches).map((place) => place.split(':')[0]!))].sort();
}

/** Returns true for a node that parses a URL or converts a domain, except a URL that is written in the code. */
function parsesUrl(node: ts.Node): boolean {
  if (ts.isNewExpression(node)) {
    const [first] = node.arguments ?? [];
    return isNamed(node.expression, /^(URL|Request)$/) && !(first && ts.isStringLiteral(first));
  }
  if (ts.isCallExpression(node)) return isNamed(node.expression, /^fetch$/);
  if (ts.isImportSpecifier(node)) return isNamed(node.propertyName ?? node.name, /^domainTo|^URL$/);
  if (ts.isPropertyAccessExpression(node)) {
    if (node.name.text.startsWith('domainTo')) return true;
    return /^(canParse|parse)$/.test(node.name.text) && isNamed(node.expression, /^URL$/);
  }
  if (!ts.isBinaryExpression(node) || !ts.isPropertyAccessExpression(node.left)) return false;
  // An assignment to one of these members of a URL parses the host.
  return (
    node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
    isNamed(node.left.name, /^(href|host|hostname)$/) &&
    node.left.expression.kind !== ts.SyntaxKind.ThisKeyword
  );
}

function isNamed(node: ts.Node, pattern: RegExp): boolean {
  return ts.isIdentifier(node) && pattern.test(node.text);
}

function isIdentifier(name: string): (node: ts.Node) => boolean {
  return (node) => ts.isIdentifier(node) && node.text === name;
}

/** Converts `contact.tools` to `ContactTools`. */
function pascal(name: string): string {
  return name.replaceAll(/(?:^|[-.])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
