import { type KeyRestriction, type RestrictedTool, restrictionFault } from './key-restriction.js';

/**
 * The person who must agree to a call of an agent. `never`: nobody. `when_possible`: the client of the agent asks its
 * person, if the client declares that it can ask. Whether a person is asked depends on the client: an agent can answer
 * for the person. `always`: a signed-in person approves exactly this call, and no API key can.
 */
export const CONFIRMATIONS = ['never', 'when_possible', 'always'] as const;
export type Confirmation = (typeof CONFIRMATIONS)[number];

export interface ToolPolicy {
  /** True when nobody in the organization can see or call the tool. */
  readonly hidden: boolean;
  readonly confirmation: Confirmation;
}

/** The policy of a tool without a stored policy. */
const NO_POLICY: ToolPolicy = { hidden: false, confirmation: 'never' };

export interface NamedPolicy extends ToolPolicy {
  readonly tool: string;
}

/**
 * Holds the policies of one organization as they were when a request began, and the restriction of the caller's API
 * key. For a renamed tool, pass all of its names: a policy under an old name still applies, and the strictest policy
 * wins. `ToolRegistry.find` and `OfferedToolList.find` use the policies to refuse calls: they return no tool that the
 * policies do not permit.
 */
export class ToolPolicies {
  /** The policies of organizations without stored policies, and of work such as steps. These policies hide nothing. */
  static readonly NONE = new ToolPolicies(new Map(), '');

  private constructor(
    private readonly byTool: ReadonlyMap<string, ToolPolicy>,
    private readonly hiddenKey: string,
    /** Undefined for people, and for an API key without a restriction. */
    readonly restriction?: KeyRestriction,
  ) {}

  static of(policies: readonly NamedPolicy[] | null, restriction?: KeyRestriction): ToolPolicies {
    if ((!policies || policies.length === 0) && !restriction) return ToolPolicies.NONE;
    const hidden = (policies ?? []).filter((policy) => policy.hidden).map(({ tool }) => tool);
    return new ToolPolicies(
      new Map(policies?.map((policy) => [policy.tool, policy])),
      hidden.sort().join(','),
      restriction,
    );
  }

  /** Returns the policies of the organization without the restriction of the key. */
  withoutRestriction(): ToolPolicies {
    return new ToolPolicies(this.byTool, this.hiddenKey);
  }

  /** Returns a cache key. Callers with the same key see the same tools. The key is empty if all tools are shown. */
  get listKey(): string {
    if (!this.restriction) return this.hiddenKey;
    const { readOnly, tools } = this.restriction;
    return `${this.hiddenKey};${readOnly ? 'read' : 'all'};${tools?.join(',') ?? '*'}`;
  }

  /** Returns the names of all tools with a policy, sorted by code units. */
  names(): string[] {
    return [...this.byTool.keys()].sort();
  }

  /**
   * Returns true if the organization does not hide the tool and the key may call it. A read-only key may call
   * tools that only read. A key with a list may call the tools of the list (`restrictionFault`, in
   * `key-restriction.ts`).
   */
  permits(tool: RestrictedTool): boolean {
    return !this.hides(...tool.names) && this.faultOf(tool) === undefined;
  }

  /**
   * Returns true if the caller may read data, such as a resource, without a call of a tool. `names` are the tools that
   * return the same data. A key with a list of tools reads only what a tool of the list returns.
   */
  permitsReading(names: readonly string[] = []): boolean {
    return this.permits({ names, readOnly: true });
  }

  /** Returns why the key may not call the tool, as a sentence for the caller. Returns undefined if it may. */
  faultOf(tool: RestrictedTool): string | undefined {
    return this.restriction && restrictionFault(this.restriction, tool);
  }

  hides(...names: readonly string[]): boolean {
    return this.hiddenKey !== '' && this.policy(...names).hidden;
  }

  confirmation(...names: readonly string[]): ToolPolicy['confirmation'] {
    return this.policy(...names).confirmation;
  }

  policy(...names: readonly string[]): ToolPolicy {
    let strictest = NO_POLICY;
    for (const name of names) {
      const policy = this.byTool.get(name);
      if (policy) strictest = stricter(strictest, policy);
    }
    return strictest;
  }
}

function stricter(a: ToolPolicy, b: ToolPolicy): ToolPolicy {
  const strength = Math.max(
    CONFIRMATIONS.indexOf(a.confirmation),
    CONFIRMATIONS.indexOf(b.confirmation),
  );
  return { hidden: a.hidden || b.hidden, confirmation: CONFIRMATIONS[strength]! };
}
