/**
 * The policies of one organization as they were when a request began. Where a tool has several names, because it was
 * renamed, all of them are to be given: what was decided under an old name still holds, and the strictest counts.
 */
export class ToolPolicies {
  /** Of an organization that has decided nothing; and for work that no policy applies to. */
  static readonly NONE = new ToolPolicies(new Map(), '');

  private constructor(
    private readonly byTool: ReadonlyMap<string, ToolPolicy>,
    /** The names that are hidden, as one text: equal for organizations that hide the same; empty where none is. */
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

  /** Names that something was decided about, in code-unit order. */
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

/** Whether a call must be confirmed first: never, where the caller can be asked, or always, so that others are refused. */
export const CONFIRMATIONS = ['never', 'when_possible', 'always'] as const;
export type Confirmation = (typeof CONFIRMATIONS)[number];

/** What an organization has decided about one tool. */
export interface ToolPolicy {
  /** Nobody of the organization sees or calls it, as if it did not exist. */
  readonly hidden: boolean;
  readonly confirmation: Confirmation;
}

/** What holds for every tool that an organization has decided nothing about. */
export const NO_POLICY: ToolPolicy = { hidden: false, confirmation: 'never' };

/** A policy with the name of its tool. */
export interface NamedPolicy extends ToolPolicy {
  readonly tool: string;
}
