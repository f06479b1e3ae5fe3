/**
 * Says who must agree to a call of an agent. `never`: nobody. `when_possible`: the client of the agent asks its person,
 * if it says that it can. This is a courtesy of the client, because an agent can answer for the person. `always`: a
 * signed-in person approves exactly this call, and no API key can.
 */
export const CONFIRMATIONS = ['never', 'when_possible', 'always'] as const;
export type Confirmation = (typeof CONFIRMATIONS)[number];

export interface ToolPolicy {
  /** True when nobody in the organization can see or call the tool. */
  readonly hidden: boolean;
  readonly confirmation: Confirmation;
}

/** Applies to a tool without a stored policy. */
const NO_POLICY: ToolPolicy = { hidden: false, confirmation: 'never' };

export interface NamedPolicy extends ToolPolicy {
  readonly tool: string;
}

/**
 * Holds the policies of one organization as they were when a request began. For a renamed tool, pass all of its names: a
 * policy under an old name still applies, and the strictest policy wins.
 */
export class ToolPolicies {
  /** Hides nothing, for an organization without policies and for work to which no policy applies. */
  static readonly NONE = new ToolPolicies(new Map(), '');

  private constructor(
    private readonly byTool: ReadonlyMap<string, ToolPolicy>,
    /** Returns the hidden names as one text, which is equal for organizations that hide the same tools. It may be empty. */
    readonly hiddenKey: string,
  ) {}

  static of(policies: readonly NamedPolicy[] | null): ToolPolicies {
    if (!policies || policies.length === 0) return ToolPolicies.NONE;
    const hidden = policies.filter((policy) => policy.hidden).map(({ tool }) => tool);
    return new ToolPolicies(
      new Map(policies.map((policy) => [policy.tool, policy])),
      hidden.sort().join(','),
    );
  }

  /** Returns the names of all tools with a policy, sorted by code units. */
  names(): string[] {
    return [...this.byTool.keys()].sort();
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
