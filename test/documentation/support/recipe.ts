import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';

const FOLDER = resolve(import.meta.dirname, '../../../docs/recipes');
const IDS = /\b(run|con|msg)_[0-9A-Za-z]{22}\b/g;

interface Command {
  code: string;
  /** The output that the page shows below the command, if it shows one. */
  shown: string | undefined;
}

/** Holds the texts that a reader of a recipe copies from its page. */
export interface Recipe {
  readonly secret: Record<string, unknown> | undefined;
  /** Another way to authenticate, if the page shows one. */
  readonly otherSecret: Record<string, unknown> | undefined;
  readonly workflow: { name: string; trigger: Record<string, unknown>; steps: object[] };
  readonly html: string | undefined;
  /** Executes the settings of the page and then one of its commands. Returns the lines that the command prints. */
  readonly run: (index: number, settings: Readonly<Record<string, string>>) => Promise<string[]>;
  /** The number of commands, without the settings. */
  readonly commands: number;
}

/**
 * Reads a page of docs/recipes. Replaces the address of each provider by the address `providers`, with the host of the
 * provider as the first part of the path. For example, `https://api.stripe.com/v1` becomes
 * `http://127.0.0.1:1234/api.stripe.com/v1`.
 */
export function readRecipe(name: string, providers: string): Recipe {
  const text = toProviders(readFileSync(resolve(FOLDER, `${name}.md`), 'utf8'), providers);
  const blocks = [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, language, code]) => ({
    language: language!,
    code: code!,
  }));
  const objects = blocks
    .filter(({ language }) => language === 'json')
    .map(({ code }) => JSON.parse(code) as Record<string, unknown>);
  const [settings, ...commands] = blocks.flatMap(({ language, code }, index): Command[] => {
    if (language !== 'sh') return [];
    const next = blocks[index + 1];
    return [{ code, shown: next?.language === 'text' ? next.code : undefined }];
  });
  const [secret, otherSecret] = objects
    .filter(({ hosts }) => hosts !== undefined)
    .map((one) => ({ ...one, hosts: ['127.0.0.1'] }));
  return {
    secret,
    otherSecret,
    workflow: objects.find(({ steps }) => steps !== undefined) as unknown as Recipe['workflow'],
    html: blocks.find(({ language }) => language === 'html')?.code,
    commands: commands.length,
    run: async (index, values) => {
      const { code, shown } = commands[index]!;
      const lines = await runShell(`${withValues(settings!.code, values)}\n${code}`);
      if (shown !== undefined) expect(lines.map(withoutIds)).toEqual(linesOf(shown));
      return lines;
    },
  };
}

/** Replaces addresses of providers, also percent-encoded addresses. Keeps addresses of the programs of the reader. */
function toProviders(text: string, providers: string): string {
  const encoded = encodeURIComponent(providers);
  return text
    .replaceAll(/https:\/\/(?!switchboard\.|www\.)([a-z0-9.-]+)\//g, `${providers}/$1/`)
    .replaceAll(/https%3A%2F%2F([a-z0-9.-]+)%2F/g, `${encoded}%2F$1%2F`);
}

/** Replaces the values of assignments. Throws if one of these assignments is not in the settings. */
function withValues(settings: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((code, [name, value]) => {
    const assignment = new RegExp(`^${name}=.*$`, 'm');
    if (!assignment.test(code)) throw new Error(`The settings of the page have no ${name}.`);
    return code.replace(assignment, `${name}='${value}'`);
  }, settings);
}

/** Runs the shell asynchronously, because the service runs in this process and must answer the shell. */
async function runShell(script: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('bash', ['-c', `set -eu\n${script}`], {
    env: { PATH: process.env.PATH },
  });
  return linesOf(stdout);
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

function withoutIds(line: string): string {
  return line.replaceAll(IDS, '$1_…');
}
