import { isEmail, IsString, Length, Matches, MaxLength, ValidateBy } from 'class-validator';
import { MAX_PASSWORD_BYTES } from './passwords.js';

export class SignUpBody {
  // IsEmail throws a URIError at half a surrogate pair instead of refusing it.
  @ValidateBy({
    name: 'isEmail',
    validator: {
      validate: (value) =>
        typeof value === 'string' && value.isWellFormed() && isEmail(value, { require_tld: false }),
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
