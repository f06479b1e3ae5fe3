/** Who did something: an API key, a signed-in person, a run of a workflow, or the service itself. */
export interface Actor {
  readonly kind: 'key' | 'user' | 'run' | 'system';
  readonly id: string;
}
