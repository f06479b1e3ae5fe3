// node scripts/bundle-service.mjs PROGRAM FOLDER
// Bundles a compiled program and its packages into few files. At every start, reading and linking the 2,500 modules of
// the service one by one would take three times the processor time of loading the bundle (bench/start.mjs).
import { dirname, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

/** The packages that stay outside the bundle, because they read files beside their own modules. */
const READ_OWN_FILES = ['@node-rs/argon2', 'bull', 'pino'];
/**
 * The warnings that are not shown. Nest, TypeORM and others cause these warnings, because they load optional packages
 * only when these packages are installed.
 */
const EXPECTED = new Set(['UNRESOLVED_IMPORT', 'EVAL', 'COMMONJS_VARIABLE_IN_ESM']);

/**
 * Writes the bundle of `program` to `folder` as `main.js` with its chunks. Classes and functions keep their names,
 * because Nest, TypeORM and stack traces show these names. Rejects when a module of Switchboard cannot be bundled.
 */
export async function bundle(program, folder) {
  const build = await rolldown({
    input: { main: resolve(program) },
    platform: 'node',
    treeshake: false,
    external: (id) => READ_OWN_FILES.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [keepPlaces(resolve(folder))],
    onLog(level, log, report) {
      if (!EXPECTED.has(log.code)) report(level, log);
    },
  });
  try {
    await build.write({
      dir: folder,
      format: 'esm',
      keepNames: true,
      chunkFileNames: '[name]-[hash].js',
      // The first module needs reflect-metadata before the database is started. If reflect-metadata were in the chunk
      // of Nest, Nest would be loaded too early.
      codeSplitting: {
        groups: [{ name: 'reflect-metadata', test: /node_modules\/reflect-metadata\// }],
      },
    });
  } finally {
    await build.close();
  }
}

/** Makes `import.meta` of a bundled module refer to its compiled file, because the .sql files are beside that file. */
function keepPlaces(folder) {
  const packages = `${sep}node_modules${sep}`;
  return {
    name: 'keep-places',
    transform: {
      filter: { code: /import\.meta\.(?:url|filename|dirname)/ },
      handler(code, id) {
        if (id.includes(packages)) return null;
        const path = relative(folder, id).replaceAll(sep, '/');
        const places = {
          url: `new URL(${JSON.stringify(path)}, import.meta.url).href`,
          filename: `(import.meta.dirname + ${JSON.stringify(`/${path}`)})`,
          dirname: `(import.meta.dirname + ${JSON.stringify(`/${dirname(path)}`)})`,
        };
        return code.replaceAll(
          /import\.meta\.(url|filename|dirname)/g,
          (_found, name) => places[name],
        );
      },
    },
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await bundle(process.argv[2], process.argv[3]);
}
