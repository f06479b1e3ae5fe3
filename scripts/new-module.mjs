// npm run new -- NAME [--folder PATH] [--switchboard FILE]
// Creates the package of a module: a copy of examples/purchase-orders with another name. The package depends on this
// checkout, or on FILE, which `npm pack` made.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildOrExit } from './build.mjs';
import { faultOf, formsOf, rename } from './new-module/module-names.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const template = join(root, 'examples/purchase-orders');
const USAGE = 'Use: npm run new -- NAME [--folder PATH] [--switchboard FILE]';
/** Lists the folders that a build or an installation creates. */
const MADE = ['node_modules', 'dist', 'package-lock.json', '.data'];
/** npm leaves these files out of packages, so a template that comes from a package does not have them. */
const HIDDEN_FILES = {
  '.gitignore': 'node_modules/\ndist/\n.data/\n.env\n',
  // Without this setting, npm would link Switchboard and find a second copy of the packages that modules share with it.
  '.npmrc': 'install-links=true\n',
};
const TIME_OF_MIGRATION = /\b\d{13}(?=-create)|(?<=Create\w+)\d{13}\b/g;

async function main() {
  const { name, folder, switchboard } = readArguments();
  const files = listFiles(template);
  const { dependencies, devDependencies } = readJson(join(template, 'package.json'));
  const packages = Object.keys({ ...dependencies, ...devDependencies });
  const fault =
    faultOf(name, { packages, tables: listTables(), words: wordsOf(files) }) ??
    faultOfFolder(folder) ??
    (await faultOfTools(name));
  if (fault) fail(fault);
  const now = String(Date.now());
  const rewrite = (text) => rename(text, name).replaceAll(TIME_OF_MIGRATION, now);
  for (const file of files) {
    const target = join(folder, rewrite(file));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, rewrite(readFileSync(join(template, file), 'utf8')));
  }
  for (const [file, text] of Object.entries(HIDDEN_FILES)) writeFileSync(join(folder, file), text);
  completePackage(folder, name, switchboard);
  console.log(`Created ${folder}. Next:\n`);
  for (const command of [`cd ${folder}`, 'npm install', 'npm test', 'npm run dev']) {
    console.log(`  ${command}`);
  }
}

function readArguments() {
  let parsed;
  try {
    const options = { folder: { type: 'string' }, switchboard: { type: 'string' } };
    parsed = parseArgs({ options, allowPositionals: true });
  } catch (error) {
    fail(`${error.message}\n${USAGE}`);
  }
  const { positionals, values } = parsed;
  if (positionals.length !== 1) fail(USAGE);
  const [name] = positionals;
  // npm changes to the folder of package.json, and passes the original folder in INIT_CWD.
  const here = process.env.INIT_CWD ?? process.cwd();
  // For git and for Node.js, a module inside the checkout would be a part of Switchboard. So the default folder is
  // beside the checkout.
  const isInside = `${resolve(here)}${sep}`.startsWith(root);
  const folder = values.folder
    ? resolve(here, values.folder)
    : resolve(isInside ? dirname(resolve(root)) : here, name);
  return { name, folder, switchboard: values.switchboard && resolve(here, values.switchboard) };
}

function faultOfFolder(folder) {
  if (!existsSync(folder)) return undefined;
  if (!statSync(folder).isDirectory()) return `${folder} is a file, so choose another --folder.`;
  return readdirSync(folder).length > 0
    ? `${folder} is not empty, so choose another --folder.`
    : undefined;
}

/** Returns an error text when a tool of the module would have the name of an existing tool, or else undefined. */
async function faultOfTools(name) {
  await buildOrExit(1);
  const { previewToolRegistry } = await import('../dist/src/bootstrap/preview-tool-registry.js');
  const registry = await previewToolRegistry();
  const { one, many } = formsOf(name);
  const tools = [`record_${one.join('_')}`, `list_${many.join('_')}`];
  const tool = tools.find((each) => registry.isTaken(each));
  return tool && `Switchboard has a tool called ${tool}, so choose another name.`;
}

function listTables() {
  // An installed package has no sources, only `dist`.
  const folders = [join(root, 'migrations/tables'), join(root, 'dist/migrations/tables')];
  return readdirSync(folders.find(existsSync)).map((file) => file.replace(/\.sql$/, ''));
}

/** Returns the words of these files of the template, except those in comments and in string literals. */
function wordsOf(files) {
  const words = new Set();
  for (const file of files.filter((each) => each.endsWith('.ts'))) {
    const code = readFileSync(join(template, file), 'utf8').replaceAll(
      /\/\*[^]*?\*\/|\/\/.*|'[^'\n]*'|`[^`]*`/g,
      '',
    );
    for (const [word] of code.matchAll(/[A-Za-z_]\w*/g)) words.add(word);
  }
  return words;
}

function listFiles(folder, path = '') {
  return readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
    const child = path === '' ? entry.name : `${path}/${entry.name}`;
    if (MADE.includes(entry.name) || entry.name in HIDDEN_FILES) return [];
    return entry.isDirectory() ? listFiles(folder, child) : [child];
  });
}

function completePackage(folder, name, switchboard) {
  const file = join(folder, 'package.json');
  const json = readJson(file);
  json.name = name;
  json.dependencies.switchboard = referenceTo(folder, switchboard);
  writeFileSync(file, `${JSON.stringify(json, undefined, 2)}\n`);
}

/**
 * Returns the dependency on Switchboard for the package.json of the module: the path of the packed file or of the
 * checkout, or the version of an installed package.
 */
function referenceTo(folder, switchboard) {
  const isCheckout = existsSync(join(root, 'src'));
  if (!switchboard && !isCheckout) return readJson(join(root, 'package.json')).version;
  const path = relative(folder, switchboard ?? root) || '.';
  return `file:${path.replaceAll(sep, '/')}`;
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

await main();
