import { Transform } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  MaxLength,
} from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';

export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export class HttpRequestInput {
  @IsIn(HTTP_METHODS)
  method: (typeof HTTP_METHODS)[number] = 'GET';

  @Doc(
    'http or https, at port 80 or 443 of a public address; the operator may allow others. Redirects are not followed.',
    { examples: ['https://api.example.com/orders'] },
  )
  @IsString()
  @Length(1, 8192)
  url: string;

  @Doc(
    'Headers by name; values are text. Everybody who can see the workflow or its runs can read them.',
    {
      examples: [{ 'X-Source': 'switchboard' }],
    },
  )
  @IsOptional()
  @IsObject()
  @Transform(({ obj }) => (obj as HttpRequestInput).headers)
  headers?: object;

  @Doc('Sent as application/json. At most one of json and body.')
  @IsOptional()
  @IsObject()
  @Transform(({ obj }) => (obj as HttpRequestInput).json)
  json?: object;

  @Doc('Sent unchanged, as text/plain unless headers contain a content-type.')
  @IsOptional()
  @IsString()
  @MaxLength(262_144)
  body?: string;

  @Doc('Sent as Idempotency-Key. Default: <run id>:<step id>, the same at every attempt.')
  @IsOptional()
  @Matches(/^[!-~]{1,255}$/)
  idempotency_key?: string;
}

export class HttpRequestResult {
  @IsInt()
  @Doc('From 200 to 299; any other status fails the step.')
  status: number;

  @IsObject()
  @Doc('content-type, etag, last-modified, link and location, if the response has them.')
  headers: object;

  @IsObject()
  @Doc(
    '{json, text}: one holds the body, the other is null. json is used when the content-type is JSON.',
  )
  body: object;
}
