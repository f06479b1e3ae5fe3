import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { type Env, loadEnv } from '../config/env.js';
import { sqlState } from '../database/database-error.js';
import { EmbeddedPostgres } from '../database/embedded/embedded-postgres.js';
import { toError } from '../errors/app-error.js';
import type { Extensions } from './app.module.js';
import { LiquidSandbox } from '../liquid/liquid-sandbox.js';
import { toolCatalog } from './tool-catalog.js';
import {
  Compatibility,
  type PinnedVersion,
  type StepFinding,
} from '../workflows/definitions/compatibility/compatibility.js';
import { stepToolsOf } from '../workflows/definitions/compatibility/tool-schemas.js';

/** A version whose tools are others than when it was saved, as it is stored. */
interface OutdatedVersion extends PinnedVersion {
  organization_id: string;
  organization: string;
  workflow_id: string;
  workflow: string;
  version: number;
}

/** One line of the report; the names are those of its JSON. */
type Line = Omit<OutdatedVersion, keyof PinnedVersion> & Omit<StepFinding, 'effect'>;

interface Report {
  breaks: Line[];
  changed: Line[];
}

const PAGE = 500;
const UNDEFINED_TABLE = '42P01';
/**
 * Everything in use: newest versions of active workflows, and versions that runs keep to which have not ended. The
 * columns are read by way of JSON because the database may be that of an earlier release, which does not have them:
 * this looks before a deploy, and so before its migrations.
 */
const OUTDATED = `
  declare outdated no scroll cursor for
  with in_use as (
    select organization_id, id as workflow_id, version from public.workflows
    where active and deleted_at is null
    union
    select organization_id, workflow_id, workflow_version from public.workflow_runs
    where status in ('queued', 'running', 'waiting')
  ), stored as (
    select v.organization_id, v.workflow_id, v.version, v.steps, to_json(v) as row
    from in_use join public.workflow_versions v using (organization_id, workflow_id, version)
  ), pinned as (
    select organization_id, workflow_id, version, steps,
      coalesce(row->>'tool_schemas', row->>'fitting_schemas')::jsonb as schemas,
      (row->>'loose_references')::json as "looseReferences"
    from stored
  )
  select p.*, o.name as organization, w.name as workflow from pinned p
  join public.workflows w on w.organization_id = p.organization_id and w.id = p.workflow_id
  join public.organizations o on o.id = p.organization_id
  where ($1::jsonb @> p.schemas) is not true
  order by p.organization_id, p.workflow_id, p.version`;

/**
 * Says which workflows of the database that the environment names would break if this build, with these modules in it,
 * were deployed: `--json` for programs. Changes nothing, and needs no running Switchboard. The exit code is 1 where
 * something would break, and 2 where that could not be found out.
 */
export async function checkWorkflows(extensions: Extensions = {}): Promise<void> {
  const given = process.argv.slice(2);
  try {
    const unknown = given.find((argument) => argument !== '--json');
    if (unknown !== undefined)
      throw new Error(`Unknown argument ${unknown}. There is --json only.`);
    const report = await makeReport(loadEnv(), extensions);
    const text = given.includes('--json') ? JSON.stringify(report, null, 2) : page(report);
    process.stdout.write(`${text}\n`);
    process.exitCode = report.breaks.length > 0 ? 1 : 0;
  } catch (error) {
    process.stderr.write(`Workflows could not be checked: ${toError(error).message}\n`);
    process.exitCode = 2;
  }
}

async function makeReport(env: Env, extensions: Extensions): Promise<Report> {
  const registry = await toolCatalog(extensions);
  const tools = new Compatibility(stepToolsOf(registry.all()), new LiquidSandbox());
  const report: Report = { breaks: [], changed: [] };
  await withDatabase(env, async (client) => {
    for await (const { steps, schemas, looseReferences, ...place } of outdated(client, tools)) {
      for (const { effect, ...finding } of tools.check({ steps, schemas, looseReferences })) {
        report[effect].push({ ...place, ...finding });
      }
    }
  });
  return report;
}

/** Runs `work` as the owner of the database, who sees all organizations; not at all where there is no database yet. */
async function withDatabase(env: Env, work: (client: Client) => Promise<void>): Promise<void> {
  if (!env.databaseUrl && !existsSync(join(env.dataDir, 'pg', 'PG_VERSION'))) return;
  const embedded = env.databaseUrl
    ? undefined
    : await EmbeddedPostgres.start({ dataDir: env.dataDir });
  const client = new Client({ connectionString: env.databaseUrl ?? embedded!.url });
  // Without a listener, a server that goes away would end the process with no word of why.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('begin isolation level repeatable read read only');
    await work(client);
  } finally {
    await client.end().catch(() => undefined);
    await embedded?.stop();
  }
}

async function* outdated(client: Client, tools: Compatibility): AsyncGenerator<OutdatedVersion> {
  try {
    await client.query(OUTDATED, [JSON.stringify(tools.schemas)]);
  } catch (error) {
    // Nothing was ever started on this database.
    if (sqlState(error) === UNDEFINED_TABLE) return;
    throw error;
  }
  let rows: OutdatedVersion[];
  do {
    rows = (await client.query<OutdatedVersion>(`fetch ${PAGE} from outdated`)).rows;
    yield* rows;
  } while (rows.length === PAGE);
}

function page({ breaks, changed }: Report): string {
  const parts = [
    ...section('This build would break:', breaks),
    ...section('Tools that have changed, and that these steps fit as far as can be told:', changed),
  ];
  const result =
    breaks.length > 0
      ? `${breaks.length} faults in ${placesOf(breaks)} versions of workflows.`
      : 'Nothing would break.';
  return [...parts, result].join('\n');
}

function section(title: string, lines: readonly Line[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map(sentence), ''];
}

function sentence(line: Line): string {
  // As JSON, because names may hold anything, and this is a terminal.
  const name = (text: string): string => JSON.stringify(text);
  return (
    `  ${name(line.organization)} (${line.organization_id}), workflow ${name(line.workflow)} (${line.workflow_id}), ` +
    `version ${line.version}, step ${line.step}: ${line.path} ${line.message}`
  );
}

function placesOf(lines: readonly Line[]): number {
  return new Set(lines.map((line) => `${line.workflow_id} ${line.version}`)).size;
}
