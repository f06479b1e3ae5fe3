import { Controller, Get, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { CallRecorder } from '../accounts/call-recorder.js';
import { CrossSiteGuard } from '../accounts/cross-site.guard.js';
import { readRequestOrigin } from '../accounts/read-request-origin.js';
import { SessionGuard, accountOf } from '../accounts/session.guard.js';
import { AppError } from '../errors/app-error.js';
import { CallTurns } from '../http/call-turns.js';
import { OriginGuard } from '../http/origin.guard.js';
import { RateLimiter } from '../http/rate-limiter.js';
import { checkAccess } from '../http/request-access.js';
import { readBodyIfAny } from '../http/request-body.js';
import { sendJson } from '../http/send-json.js';
import type { ToolPolicies } from '../policies/tool-policies.js';
import { didYouMean } from '../text/nearest-names.js';
import { SILENT_CALLER, type ToolCall } from './contract/tool-call.js';
import { DryRuns } from './pipeline/dry-runs.js';
import type { RegisteredTool } from './registry/registered-tool.js';
import { withinLimit } from './registry/result-limit.js';
import { ToolRegistry } from './registry/tool-registry.js';

const MAX_BODY_BYTES = 1024 * 1024;
/** The largest number of cached lists, each of about 250 kB. */
const MOST_CACHED = 20;

@Controller('api/tools')
@UseGuards(OriginGuard, CrossSiteGuard, SessionGuard)
export class ToolsController {
  /** The lists of organizations that hide the same tools. Encoding a list takes 1 ms. */
  private readonly lists = new LRUCache<string, Buffer, ToolPolicies>({
    max: MOST_CACHED,
    memoMethod: (_key, _stale, { context }) =>
      Buffer.from(JSON.stringify({ tools: this.registry.list('dashboard', context) })),
  });

  constructor(
    private readonly registry: ToolRegistry,
    private readonly dryRuns: DryRuns,
    private readonly limiter: RateLimiter,
    private readonly turns: CallTurns,
    private readonly calls: CallRecorder,
  ) {}

  @Get()
  list(@Req() request: Request, @Res() response: Response): void {
    const { organizationId, toolPolicies } = accountOf(request);
    this.limiter.consume(organizationId, 1);
    sendJson(response, 200, this.lists.memo(toolPolicies.listKey, { context: toolPolicies }));
  }

  @Post(':name')
  async call(
    @Param('name') name: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { organizationId, userId } = accountOf(request);
    const actor = { kind: 'user', id: userId } as const;
    const caller = { organizationId, actor, origin: readRequestOrigin(request) };
    try {
      this.limiter.consume(organizationId, 1);
    } catch (error) {
      throw this.calls.refused(caller, name, error as AppError);
    }
    const tool = checkAccess(request, () => this.findTool(name, request, caller));
    const body = await readBodyIfAny(request, MAX_BODY_BYTES, (bytes) =>
      this.turns.takeForBody(organizationId, bytes),
    );
    const { given, isDryRun } = readDryRun(body);
    const call: ToolCall = {
      ...SILENT_CALLER,
      ...caller,
      surface: 'dashboard',
      signal: new AbortController().signal,
    };
    const result = isDryRun
      ? { dry_run: true, ...(await this.dryRuns.call(tool, given, call)) }
      : await this.registry.call(tool, given, call);
    sendJson(response, 200, withinLimit(JSON.stringify(result), tool));
  }

  /** Returns the tool. Records the call and throws `not_found` when the person cannot call such a tool. */
  private findTool(
    name: string,
    request: Request,
    caller: Parameters<CallRecorder['refused']>[0],
  ): RegisteredTool {
    const { toolPolicies: policies } = accountOf(request);
    const tool = this.registry.find(name, 'dashboard', policies);
    if (tool) return tool;
    const known = this.registry.list('dashboard', policies).map((descriptor) => descriptor.name);
    const message =
      this.registry.describeOtherSurface(name, 'dashboard', policies) ??
      `Unknown tool.${didYouMean(name, known)}`;
    throw this.calls.refused(caller, name, new AppError('not_found', message));
  }
}

/** Splits a body into `dry_run` and the arguments. Throws for a `dry_run` that is not a boolean. */
function readDryRun(body: unknown): { given: unknown; isDryRun: boolean } {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'dry_run')) {
    return { given: body, isDryRun: false };
  }
  const { dry_run: isDryRun, ...given } = body as Record<string, unknown>;
  if (typeof isDryRun !== 'boolean') {
    throw AppError.invalidField('dry_run', 'must be true or false');
  }
  return { given, isDryRun };
}
