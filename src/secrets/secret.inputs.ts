import { ArrayMaxSize, ArrayMinSize, Matches } from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';
import { Choice, Text, TextList } from '../tools/schema/fields.js';
import { CLIENT_AUTH, type ClientAuth, SECRET_KINDS, type SecretKind } from './secret-content.js';

const NAME = /^[a-z][a-z0-9_]{0,63}$/;
const MOST_HOSTS = 20;

export class ListSecretsInput {}

export class SetSecretInput {
  @Doc('Lowercase letters, digits and _. Steps refer to it by this name.', {
    examples: ['stripe_key'],
  })
  @Matches(NAME)
  name: string;

  @Doc(
    'value: http_request steps use it as {{ secrets.NAME }}. header, basic and oauth2_client: steps name it as ' +
      'their credential, which sets a header, HTTP Basic, or a Bearer token of OAuth 2.0 client credentials. Without ' +
      'it, a new secret is a value, and a stored secret keeps its kind.',
  )
  @Choice(SECRET_KINDS, { optional: true })
  kind?: SecretKind;

  @Text(
    'The value, the value of the header, the password or the client secret. Nobody can read it again. Without it, ' +
      'the secret that is stored stays, and only the other fields change.',
    { optional: true, min: 1, max: 8192 },
  )
  secret?: string;

  @Doc(
    'Hosts that may receive the secret: api.example.com, or *.example.com for all hosts below example.com. ' +
      'Requests to other hosts fail. Required for a new secret.',
    { examples: [['api.example.com']] },
  )
  @TextList({ optional: true })
  @ArrayMinSize(1)
  @ArrayMaxSize(MOST_HOSTS)
  hosts?: string[];

  @Text(
    'For the kind header: the name of the header. For the kind oauth2_client: the header that gets the token without ' +
      '"Bearer", if it is not Authorization. An empty text removes it.',
    { optional: true, max: 100 },
  )
  header?: string;

  @Text('For the kind basic.', { optional: true, max: 500 })
  username?: string;

  @Text('For the kind oauth2_client: the URL that issues tokens.', {
    optional: true,
    min: 1,
    max: 2048,
  })
  token_url?: string;

  @Text('For the kind oauth2_client.', { optional: true, min: 1, max: 500 })
  client_id?: string;

  @Text(
    'For the kind oauth2_client: the scopes, separated by spaces. An empty text removes them.',
    {
      optional: true,
      max: 1000,
    },
  )
  scope?: string;

  @Doc(
    'For the kind oauth2_client: the token URL gets the client id and the client secret by HTTP Basic (the default), ' +
      'or as client_id and client_secret in the body.',
  )
  @Choice(CLIENT_AUTH, { optional: true })
  client_auth?: ClientAuth;
}

export class DeleteSecretInput {
  @Text({ min: 1, max: 64 })
  name: string;
}
