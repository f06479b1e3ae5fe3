import { IsOptional, Matches } from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';
import { Choice, JsonObject, Text } from '../tools/schema/fields.js';

export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export class HttpRequestInput {
  @Choice(HTTP_METHODS)
  method: (typeof HTTP_METHODS)[number] = 'GET';

  @Doc(
    'http or https, at port 80 or 443 of a public address; the operator may allow others. Redirects are not followed.',
    { examples: ['https://api.example.com/orders'] },
  )
  @Text({ min: 1, max: 8192 })
  url: string;

  @Doc(
    'Headers by name; values are text. Everybody who can see the workflow or its runs can read them, except secrets.',
    { examples: [{ 'X-Source': 'switchboard' }] },
  )
  @JsonObject({ optional: true })
  headers?: object;

  @Doc(
    'Name of a secret of the kind header, basic or oauth2_client, which authenticates the request.',
  )
  @IsOptional()
  @Matches(/^[a-z][a-z0-9_]{0,63}$/)
  credential?: string;

  @JsonObject('Sent as application/json. At most one of json and body.', { optional: true })
  json?: object;

  @Doc('Sent unchanged, as text/plain unless headers contain a content-type.')
  @Text({ optional: true, max: 1_048_576 })
  body?: string;

  @Doc(
    'Sent as Idempotency-Key. Default: <run id>:<step id>:<digest of the request>, the same at every attempt.',
  )
  @IsOptional()
  @Matches(/^[!-~]{1,255}$/)
  idempotency_key?: string;
}
