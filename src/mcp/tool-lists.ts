import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { ToolPolicies } from '../policies/tool-policies.js';
import type { OfferedToolList } from '../tools/registry/offered-tool.js';
import { ToolRegistry } from '../tools/registry/tool-registry.js';
import type { EraEncoder } from './encoders/era-encoder.js';
import { listedTool } from './listed-tool.js';

type EncodedLists = Map<EraEncoder, Buffer>;

/** The largest number of cached lists, each of about 30 kB. Organizations that hide the same tools share a list. */
const MAX_CACHED = 20;
const MAX_CACHED_WITH_OFFERED = 50;

/**
 * Encodes and caches the results of `tools/list` as UTF-8, because encoding takes longer than the rest of the call.
 * The tools come from `ToolRegistry`, which finds the methods with `@Tool`.
 */
@Injectable()
export class ToolLists {
  private readonly complete: EncodedLists = new Map();
  private readonly byHidden = cacheOf(MAX_CACHED);
  private readonly byOffered = cacheOf(MAX_CACHED_WITH_OFFERED);

  constructor(private readonly tools: ToolRegistry) {}

  /** Returns the registered tools, then the offered tools, each group sorted by name. */
  get(encoder: EraEncoder, policies: ToolPolicies, offered: OfferedToolList): Buffer {
    const lists = this.listsOf(policies, offered);
    let list = lists.get(encoder);
    if (list === undefined) {
      const registered = this.tools.list('agent', policies).map((tool) => listedTool(tool));
      const tools = [...registered, ...offered.list(policies)];
      list = Buffer.from(encoder.toolList(tools));
      lists.set(encoder, list);
    }
    return list;
  }

  private listsOf({ listKey }: ToolPolicies, offered: OfferedToolList): EncodedLists {
    if (offered.key !== '') return this.byOffered.memo(`${offered.key} ${listKey}`);
    return listKey === '' ? this.complete : this.byHidden.memo(listKey);
  }
}

function cacheOf(max: number): LRUCache<string, EncodedLists> {
  return new LRUCache({ max, memoMethod: () => new Map() });
}
