import { Transform } from 'class-transformer';
import { IsString, Length, Matches, MaxLength, ValidateBy, isEmail } from 'class-validator';
import type { ToolPolicies } from '../policies/tool-policies.js';
import { MAX_PASSWORD_BYTES } from './passwords.js';

const MAX_EMAIL_CHARACTERS = 254;

export interface Account {
  readonly userId: string;
  readonly email: string;
  /** The name that the person shows to others, or null when the person has given none. */
  readonly name: string | null;
  /** A text that changes with the password. A session that stores an earlier text is no longer valid. */
  readonly passwordTag: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly role: 'owner' | 'member';
  /** The tool policies of the organization, as they were when the account was read. */
  readonly toolPolicies: ToolPolicies;
}

/** An account in the responses of `/api/auth`. */
export interface AccountView {
  /** The signed-in person. `name` is absent until the person enters a name. */
  user: { id: string; email: string; name?: string };
  organization: { id: string; name: string };
}

export function toAccountView(account: Account): AccountView {
  const { userId, email, name, organizationId, organizationName } = account;
  return {
    user: { id: userId, email, ...(name !== null && { name }) },
    organization: { id: organizationId, name: organizationName },
  };
}

/** The author of a change: an API key, a signed-in person, a run of a workflow, or the service itself. */
export interface Actor {
  readonly kind: 'key' | 'user' | 'run' | 'system';
  readonly id: string;
}

/** Describes the body of `POST /api/auth/sign-up`. */
export class SignUpBody {
  // This rule refuses a lone surrogate, because isEmail would throw a URIError and the response would be 500. It also
  // refuses invisible characters and text that is not in NFC: two accounts could have addresses that look the same.
  @ValidateBy({
    name: 'isEmail',
    validator: {
      validate: (value) =>
        typeof value === 'string' &&
        // class-validator checks all rules, even after one rule has failed. Without this check, normalizing a long text
        // would take too long.
        value.length <= MAX_EMAIL_CHARACTERS &&
        value.isWellFormed() &&
        value === value.normalize('NFC') &&
        !/\p{Cf}/u.test(value) &&
        isEmail(value, { require_tld: false }),
      defaultMessage: () => 'email must be an email',
    },
  })
  @MaxLength(MAX_EMAIL_CHARACTERS)
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

/** Describes the body of `PATCH /api/auth/profile`. */
export class ProfileBody {
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @IsString()
  @MaxLength(200)
  // With invisible characters, the name of a person could look the same as the name of somebody else.
  @Matches(/^[^\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]*$/u, { message: 'name must be one line of text' })
  name: string;
}

/** Describes the body of `POST /api/auth/password`. */
export class PasswordBody {
  @IsString()
  current_password: string;

  @IsString()
  @Length(8, MAX_PASSWORD_BYTES / 4)
  new_password: string;
}
