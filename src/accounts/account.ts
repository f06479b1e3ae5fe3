import { IsString, Length, Matches, MaxLength, ValidateBy, isEmail } from 'class-validator';
import { MAX_PASSWORD_BYTES } from './passwords.js';

export interface Account {
  readonly userId: string;
  readonly email: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly role: 'owner' | 'member';
}

/** Shows an account in the responses of `/api/auth`. */
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

/** Names the author of a change: an API key, a signed-in person, a run of a workflow, or the service itself. */
export interface Actor {
  readonly kind: 'key' | 'user' | 'run' | 'system';
  readonly id: string;
}

/** Describes the body of `POST /api/auth/sign-up`. */
export class SignUpBody {
  // IsEmail alone throws a URIError for a lone surrogate, and the response would be 500. Invisible characters and
  // characters in parts (Unicode NFC) would make two accounts that look the same.
  @ValidateBy({
    name: 'isEmail',
    validator: {
      validate: (value) =>
        typeof value === 'string' &&
        value.isWellFormed() &&
        value === value.normalize('NFC') &&
        !/\p{Cf}/u.test(value) &&
        isEmail(value, { require_tld: false }),
      defaultMessage: () => 'email must be an email',
    },
  })
  @MaxLength(254)
  email: string;

  @IsString()
  @Length(8, MAX_PASSWORD_BYTES / 4)
  password: string;

  @IsString()
  @Length(1, 200)
  @Matches(/^(?=.*\S)[^\p{Cc}\p{Cs}]+$/u, {
    message: 'organization_name must be one line of text',
  })
  organization_name: string;
}
