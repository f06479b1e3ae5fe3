// node scripts/build-web.mjs FOLDER
// Builds the dashboard of `web` into FOLDER, with compressed copies of its files and `files.json`, which the service
// reads. Fails when the pages would load more than their budget.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const KILOBYTE = 1000;
/** The largest total size of the files that the first page loads, compressed with gzip. */
const FIRST_LOAD_BUDGET = 250 * KILOBYTE;
/**
 * The largest number of bytes that each part adds when it is loaded later. The first of these parts contains menus and
 * dialogs, which the first page does not need.
 */
const PART_BUDGET = 75 * KILOBYTE;
const PART_BUDGETS = {
  // The page of a workflow with its editor.
  'features/workflows/workflow-page.tsx': 80 * KILOBYTE,
  'features/workflows/canvas/canvas.tsx': 90 * KILOBYTE,
  'ui/editor/json-editor.tsx': 140 * KILOBYTE,
  'ui/editor/javascript-editor.tsx': 115 * KILOBYTE,
  'ui/chart/chart.tsx': 25 * KILOBYTE,
};
const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};
const COMPRESSED = new Set(['.css', '.html', '.js', '.svg', '.txt']);
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };

const folder = process.argv[2];
// With any other NODE_ENV, which a test may set, Vite would bundle the development version of React.
process.env.NODE_ENV = 'production';
await build({
  configFile: join(root, 'web/vite.config.ts'),
  build: { outDir: folder, emptyOutDir: false },
});
const manifestFile = join(folder, '.vite/manifest.json');
const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
rmSync(dirname(manifestFile), { recursive: true });
const files = await Promise.all(pathsIn(folder).map(describe));
const faults = overBudget(new Map(files.map((file) => [file.path, file.gzip ?? file.identity])));
if (faults.length > 0) {
  console.error(`The dashboard exceeds its size budget:\n  ${faults.join('\n  ')}`);
  process.exit(1);
}
// The service reads this file when it starts. The file leaves out the sizes, which only the check above needs.
const served = files.map(({ path, type, hash, encodings }) => ({ path, type, hash, encodings }));
writeFileSync(join(folder, 'files.json'), `${JSON.stringify(served, null, 1)}\n`);

function pathsIn(parent) {
  return readdirSync(parent, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length).replaceAll('\\', '/'))
    .sort();
}

/** Writes compressed copies of a file, and returns the properties of the file that the service needs. */
async function describe(path) {
  const extension = extname(path);
  const type = TYPES[extension];
  if (!type)
    throw new Error(`${path}: the type of ${extension} files is unknown. Add it to TYPES.`);
  const content = readFileSync(join(folder, path));
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 22);
  const file = { path, type, hash, identity: content.length, encodings: [] };
  if (!COMPRESSED.has(extension)) return file;
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(content, BROTLI),
    promisify(gzip)(content, { level: 9 }),
  ]);
  writeFileSync(join(folder, `${path}.br`), brotli);
  writeFileSync(join(folder, `${path}.gz`), gzipped);
  return { ...file, gzip: gzipped.length, encodings: ['br', 'gzip'] };
}

/**
 * Returns a line for each part that exceeds its budget. The first load is one part, and each part that is loaded later
 * is another.
 */
function overBudget(sizes) {
  const first = filesOf('index.html');
  const size = (paths) => [...paths].reduce((sum, path) => sum + sizes.get(`/${path}`), 0);
  const parts = Object.entries(manifest)
    .filter(([, { isDynamicEntry }]) => isDynamicEntry)
    .map(([source]) => ({
      source,
      size: size([...filesOf(source)].filter((path) => !first.has(path))),
      budget: PART_BUDGETS[source] ?? PART_BUDGET,
    }));
  const all = [{ source: 'first load', size: size(first), budget: FIRST_LOAD_BUDGET }, ...parts];
  if (process.env.PRINT_SIZES) {
    for (const each of all) console.log(`${(each.size / KILOBYTE).toFixed(1)} kB ${each.source}`);
  }
  return all
    .filter((each) => each.size > each.budget)
    .map((each) => `${each.source}: ${each.size} bytes (gzip), at most ${each.budget}`);
}

/** Returns the scripts and styles that a source loads without `import()`. */
function filesOf(source, seen = new Set()) {
  if (seen.has(source)) return new Set();
  seen.add(source);
  const { file, css = [], imports = [] } = manifest[source];
  const inner = imports.flatMap((each) => [...filesOf(each, seen)]);
  return new Set([file, ...css, ...inner]);
}
