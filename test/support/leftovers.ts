import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { Client } from 'pg';

const VITEST_WORKER = /\/vitest\/dist\/workers\//;

/** Returns a line for each file and folder in `folder`, which tests use as their temporary folder. */
export async function findFiles(folder: string): Promise<string[]> {
  return (await readdir(folder)).map((name) => `file or folder ${name}`);
}

/** Returns a line for each test database that still exists on the server of the template. */
export async function findDatabases(templateUrl: string): Promise<string[]> {
  const client = new Client({ connectionString: templateUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select datname as name from pg_database where starts_with(datname, current_database() || '_')`,
    );
    return rows.map(({ name }) => `database ${name}`);
  } finally {
    await client.end();
  }
}

/** Returns a line for each process whose arguments or environment name `folder`. Leaves out workers of Vitest. */
export function findProcesses(folder: string): string[] {
  return listProcesses(folder)
    .filter((line) => !VITEST_WORKER.test(line))
    .map((line) => `process ${line.slice(0, 200)}`);
}

/** Returns the ids of the workers of Vitest whose environment names `folder`. */
export function findWorkers(folder: string): number[] {
  return listProcesses(folder)
    .filter((line) => VITEST_WORKER.test(line))
    .map((line) => Number.parseInt(line, 10));
}

function listProcesses(folder: string): string[] {
  const listed = execFileSync('ps', ['axeww', '-o', 'pid=,command='], { encoding: 'utf8' });
  return listed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.includes(folder) && !line.includes('ps axeww'));
}
