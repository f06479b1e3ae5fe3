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
