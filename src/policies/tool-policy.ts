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
