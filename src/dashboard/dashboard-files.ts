import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const ENCODINGS = { br: '.br', gzip: '.gz' } as const;
type Encoding = keyof typeof ENCODINGS;

/** A file of the built dashboard. `scripts/build-web.mjs` writes the list of all files. */
export interface DashboardFile {
  /** The path of the URL of the file, for example `/assets/index-B1c2D3.js`. */
  path: string;
  type: string;
  /** A hash of the content of the file. */
  hash: string;
  /** The encodings of the compressed copies of the file, the smallest copy first. */
  encodings: readonly Encoding[];
}

/** Reads the files of the built dashboard in a folder. Only listed files are read, so no path can leave the folder. */
export class DashboardFiles {
  private readonly files: ReadonlyMap<string, DashboardFile>;

  constructor(private readonly folder: string) {
    const list = JSON.parse(readFileSync(join(folder, LIST), 'utf8')) as DashboardFile[];
    this.files = new Map(list.map((file) => [file.path, file]));
  }

  find(path: string): DashboardFile | undefined {
    return this.files.get(path);
  }

  /** Returns the page that is the response at every address of the dashboard. */
  get page(): DashboardFile {
    return this.files.get('/index.html')!;
  }

  /** Reads a file, or its copy in an encoding. */
  async read(file: DashboardFile, encoding: Encoding | undefined): Promise<Buffer> {
    return await readFile(join(this.folder, file.path + (encoding ? ENCODINGS[encoding] : '')));
  }
}

const LIST = 'files.json';

/** Finds the built dashboard beside the compiled service, or in `dist` when the service runs from its sources. */
export function findDashboard(): DashboardFiles | undefined {
  const folder = ['../../web', '../../dist/web']
    .map((path) => resolve(import.meta.dirname, path))
    .find((path) => existsSync(join(path, LIST)));
  return folder === undefined ? undefined : new DashboardFiles(folder);
}
