import { IsEmail, IsString, Length, Matches, MaxLength } from 'class-validator';
import { MAX_PASSWORD_BYTES } from './passwords.js';

export class SignUpBody {
  @IsEmail({ require_tld: false })
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
