import 'reflect-metadata';
import type { Client } from 'pg';
import { loadProcessEnv } from './load-process-env.js';
import { counted } from '../text/counted.js';
import type { Env } from '../config/env.js';
import { sqlState } from '../database/database-error.js';
import { toError } from '../errors/app-error.js';
import type { Extensions } from './app.module.js';
import { withOwner } from './owner-connection.js';
import { LiquidSandbox } from '../liquid/liquid-sandbox.js';
import { previewToolRegistry } from './preview-tool-registry.js';
import {
  Compatibility,
  type PinnedVersion,
  type StepFinding,
} from '../workflows/definitions/compatibility/compatibility.js';
import { stepToolsOf } from '../workflows/definitions/compatibility/tool-schemas.js';

interface OutdatedVersion extends PinnedVersion {
  organization_id: string;
  organization: string;
  workflow_id: string;
  workflow: string;
  version: number;
}

/** One finding of the check, with the field names of the JSON report. */
type Line = Omit<OutdatedVersion, keyof PinnedVersion> & Omit<StepFinding, 'effect'>;

interface Report {
  breaks: Line[];
  changed: Line[];
}

const PAGE = 500;
const UNDEFINED_TABLE = '42P01';
/**
 * Selects the versions of active workflows and unfinished runs. The statement converts each version to JSON, because
 * some columns do not exist in old databases.
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
 * Reports which workflows would break if this build with these modules were deployed on the configured database. Prints
 * JSON with `--json`. The command changes nothing and needs no running Switchboard. The exit code is 1 when a workflow
 * would break, and 2 when the check failed.
 */
export async function checkWorkflows(extensions: Extensions = {}): Promise<void> {
  const given = process.argv.slice(2);
  try {
    const unknown = given.find((argument) => argument !== '--json');
    if (unknown !== undefined)
      throw new Error(`Unknown argument ${unknown}. The only argument is --json.`);
    const report = await makeReport(loadProcessEnv(), extensions);
    const text = given.includes('--json') ? JSON.stringify(report, null, 2) : page(report);
    process.stdout.write(`${text}\n`);
    process.exitCode = report.breaks.length > 0 ? 1 : 0;
  } catch (error) {
    process.stderr.write(`Workflows could not be checked: ${toError(error).message}\n`);
    process.exitCode = 2;
  }
}

async function makeReport(env: Env, extensions: Extensions): Promise<Report> {
  const registry = await previewToolRegistry(extensions);
  const tools = new Compatibility(stepToolsOf(registry.all()), new LiquidSandbox());
  const report: Report = { breaks: [], changed: [] };
  await withOwner(env, async (client) => {
    await client.query('begin isolation level repeatable read read only');
    for await (const { steps, schemas, looseReferences, ...place } of outdated(client, tools)) {
      for (const { effect, ...finding } of tools.check({ steps, schemas, looseReferences })) {
        report[effect].push({ ...place, ...finding });
      }
    }
  });
  return report;
}

async function* outdated(client: Client, tools: Compatibility): AsyncGenerator<OutdatedVersion> {
  try {
    await client.query(OUTDATED, [JSON.stringify(tools.schemas)]);
  } catch (error) {
    // Switchboard never ran on this database.
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
    ...section('This build would break these steps:', breaks),
    ...section(
      'These steps use tools that have changed. The check found no fault in them:',
      changed,
    ),
  ];
  const result =
    breaks.length > 0
      ? `${counted(breaks.length, 'fault')} in ${counted(placesOf(breaks), 'version')} of workflows.`
      : 'Nothing would break.';
  return [...parts, result].join('\n');
}

function section(title: string, lines: readonly Line[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map(sentence), ''];
}

function sentence(line: Line): string {
  // JSON escapes control characters in names, which would control the terminal.
  const name = (text: string): string => JSON.stringify(text);
  return (
    `  ${name(line.organization)} (${line.organization_id}), workflow ${name(line.workflow)} (${line.workflow_id}), ` +
    `version ${line.version}, step ${line.step}: ${line.path} ${line.message}`
  );
}

function placesOf(lines: readonly Line[]): number {
  return new Set(lines.map((line) => `${line.workflow_id} ${line.version}`)).size;
}
