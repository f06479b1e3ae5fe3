import { Injectable } from '@nestjs/common';
import { AppError, type Fault } from '../errors/app-error.js';
import { didYouMean } from '../text/nearest-names.js';
import { parseTime } from '../text/parse-time.js';
import { OfferedTools } from '../tools/registry/offered-tools.js';
import { ToolRegistry } from '../tools/registry/tool-registry.js';
import { classSchema } from '../tools/schema/class-schema.js';
import { parseArguments } from '../tools/schema/parse-arguments.js';
import { CreateKeyBody } from './api-key.inputs.js';
import type { KeyOptions } from './key-options.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_DAYS = 3650;
const MAX_FAULTS = 20;
const SCHEMA = classSchema(CreateKeyBody);

/** Checks the options of new keys. */
@Injectable()
export class KeyOptionsService {
  constructor(
    private readonly registry: ToolRegistry,
    private readonly offered: OfferedTools,
  ) {}

  /**
   * Returns the options of a new key. Throws `invalid_arguments` for unknown members, for tools that agents cannot
   * call, and for times in the past.
   */
  async parse(organizationId: string, given: unknown): Promise<KeyOptions> {
    const body = parseArguments(CreateKeyBody, SCHEMA, given ?? {});
    const { read_only: readOnly = false, tools } = body;
    return {
      expiresAt: expiryOf(body),
      readOnly,
      tools: tools ? await this.toolsOf(organizationId, tools, readOnly) : null,
    };
  }

  private async toolsOf(
    organizationId: string,
    given: readonly string[],
    readOnly: boolean,
  ): Promise<string[]> {
    const offered = new Set(await this.offered.names(organizationId));
    const tools = this.registry.all().filter(({ surfaces }) => surfaces.has('agent'));
    const byName = new Map(tools.flatMap((tool) => tool.names.map((name) => [name, tool])));
    const known = [...tools.map(({ names }) => names[0]), ...offered];
    const faults: Fault[] = [];
    const names = given.map((name, index) => {
      const tool = byName.get(name);
      const path = `tools[${index}]`;
      if (!tool && !offered.has(name)) {
        const hint = faults.length < MAX_FAULTS ? didYouMean(name, known) : '';
        faults.push({ path, message: `is not the name of a tool of agents.${hint}` });
      } else if (readOnly && !tool?.readOnly) {
        faults.push({ path, message: 'changes data, so a read-only key cannot call it' });
      }
      return tool?.names[0] ?? name;
    });
    if (faults.length > 0) {
      const [first] = faults;
      throw AppError.invalid(`${first!.path} ${first!.message}`, faults.slice(0, MAX_FAULTS));
    }
    return [...new Set(names)].sort();
  }
}

function expiryOf({ expires_at: text, expires_in_days: days }: CreateKeyBody): Date | null {
  if (text === undefined) return days === undefined ? null : new Date(Date.now() + days * DAY_MS);
  if (days !== undefined) {
    throw AppError.invalidField('expires_in_days', 'must be absent when expires_at is given');
  }
  const time = parseTime(text);
  const left = time ? time.getTime() - Date.now() : 0;
  if (time && left > 0 && left <= MAX_DAYS * DAY_MS) return time;
  throw AppError.invalidField(
    'expires_at',
    'must be a time of RFC 3339 with a time zone, in the future and at most ten years ahead',
  );
}
