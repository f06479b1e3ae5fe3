import type { Actor } from '../accounts/actor.js';

/** Where a call comes from: an agent with an API key, a step of a run, or a signed-in person. */
export type Surface = 'agent' | 'workflow' | 'dashboard';

/** Who calls, for whom, and until when. The second argument of every tool method. */
export interface ToolCall {
  /** The organization that owns everything this call may see or change. */
  readonly organizationId: string;
  readonly surface: Surface;
  readonly actor: Actor;
  /** Aborted when nobody waits for the result any more; tools that wait for the outside must honour it. */
  readonly signal: AbortSignal;
  /** The run whose step this call is, if it is one. */
  readonly runId?: string;
}
