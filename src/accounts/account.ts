/** A signed-in person, and the organization that the session works in. */
export interface Account {
  readonly userId: string;
  readonly email: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly role: 'owner' | 'member';
}

/** An account as `/api/auth` shows it. */
export interface AccountView {
  user: { id: string; email: string };
  organization: { id: string; name: string };
}

export function toAccountView(account: Account): AccountView {
  return {
    user: { id: account.userId, email: account.email },
    organization: { id: account.organizationId, name: account.organizationName },
  };
}

/** Who did something: an API key, a signed-in person, a run of a workflow, or the service itself. */
export interface Actor {
  readonly kind: 'key' | 'user' | 'run' | 'system';
  readonly id: string;
}
