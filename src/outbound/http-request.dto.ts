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
  @Doc('Method of the request.')
  @IsIn(HTTP_METHODS)
  method: (typeof HTTP_METHODS)[number] = 'GET';

  @Doc(
    'http or https, at port 80 or 443 of a public address; the operator may allow others. Redirects are not followed.',
    { examples: ['https://api.example.com/orders'] },
  )
  @IsString()
  @Length(1, 8192)
  url: string;

  @Doc('Headers by name, as texts. They are shown with the workflow and its runs.', {
    examples: [{ 'X-Source': 'switchboard' }],
  })
  @IsOptional()
  @IsObject()
  @Transform(({ obj }) => (obj as HttpRequestInput).headers)
  headers?: object;

  @Doc('Sent as application/json. At most one of json and body.')
  @IsOptional()
  @IsObject()
  @Transform(({ obj }) => (obj as HttpRequestInput).json)
  json?: object;

  @Doc('Sent as it stands, as text/plain unless headers name a content-type.')
  @IsOptional()
  @IsString()
  @MaxLength(262_144)
  body?: string;

  @Doc('Sent as Idempotency-Key. Absent: <run id>:<step id>, the same at every attempt.')
  @IsOptional()
  @Matches(/^[!-~]{1,255}$/)
  idempotency_key?: string;
}

export class HttpRequestResult {
  @IsInt()
  @Doc('From 200 to 299; any other answer fails the step.')
  status: number;

  @IsObject()
  @Doc('content-type, etag, last-modified, link and location, as far as they came.')
  headers: object;

  @IsObject()
  @Doc(
    '{json, text}: one is what came, the other null. json is what a body that says to be JSON holds.',
  )
  body: object;
}
