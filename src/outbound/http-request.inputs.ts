import { ArrayMaxSize, IsArray, IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';
import { Choice, Integer, JsonObject, Nested, Text } from '../tools/schema/fields.js';

export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export const HTTP_RESPONSES = ['auto', 'file'] as const;

export class HttpPagesInput {
  @Doc('Where the list is in the JSON of each page. Default: the JSON is the list.', {
    examples: ['data.items'],
  })
  @Text({ max: 200 })
  items: string = '';

  @Doc(
    'link: the header Link has the next URL. Otherwise the place of this URL, or of a cursor, in the JSON.',
    { examples: ['link', 'meta.next_cursor'] },
  )
  @Text({ optional: true, min: 1, max: 200 })
  next?: string;

  @Text('Parameter of the URL for the cursor. If absent, next must lead to a URL.', {
    optional: true,
    min: 1,
    max: 100,
  })
  cursor_parameter?: string;

  @Text('Parameter of the URL to count up, until a page is empty. Use it without next.', {
    optional: true,
    min: 1,
    max: 100,
  })
  page_parameter?: string;

  @Integer({ min: 1, max: 100 })
  max: number = 20;
}

export class HttpRequestInput {
  @Choice(HTTP_METHODS)
  method: (typeof HTTP_METHODS)[number] = 'GET';

  @Doc('http or https, at port 80 or 443 of a public address; the operator may allow others.', {
    examples: ['https://api.example.com/orders'],
  })
  @Text({ min: 1, max: 8192 })
  url: string;

  @JsonObject(
    'Parameters to add to the URL. Values are text, numbers, booleans, or lists of these; null adds none.',
    { optional: true },
  )
  query?: object;

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

  @JsonObject('Sent as application/json. At most one of json, form, multipart, body and file.', {
    optional: true,
  })
  json?: object;

  @JsonObject('Sent as application/x-www-form-urlencoded. Values as in query.', { optional: true })
  form?: object;

  @JsonObject(
    'Sent as multipart/form-data. Values as in query are text fields; {file, name} sends a file by its id.',
    { optional: true },
  )
  multipart?: object;

  @Doc('Sent unchanged, as text/plain unless headers contain a content-type.')
  @Text({ optional: true, max: 1_048_576 })
  body?: string;

  @Doc(
    'Id of a file that a step kept. Its bytes are sent, with its type unless headers contain one.',
    {
      examples: ['{{ download.file.id }}'],
    },
  )
  @Text({ optional: true, min: 1, max: 100 })
  file?: string;

  @Choice(
    HTTP_RESPONSES,
    'auto: text and JSON up to 1 MiB are returned as the body, and other content up to 10 MiB is kept as a file. ' +
      'file: all content is kept as a file.',
  )
  response: (typeof HTTP_RESPONSES)[number] = 'auto';

  @Nested(
    () => HttpPagesInput,
    'Requests page after page. body.json is then the list of the items of all pages, up to 1 MiB.',
    { optional: true },
  )
  pages?: HttpPagesInput;

  @Integer('How many redirects to follow. Another origin gets no header that names the caller.', {
    min: 0,
    max: 5,
  })
  max_redirects: number = 0;

  @Doc('Statuses outside of 200 to 299 that are results and do not fail the step.', {
    examples: [[404]],
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(20)
  @IsInt({ each: true })
  @Min(300, { each: true })
  @Max(599, { each: true })
  accept_statuses?: number[];

  @Doc('Statuses after which the step is retried. Default: 429, 502, 503 and 504.')
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(20)
  @IsInt({ each: true })
  @Min(400, { each: true })
  @Max(599, { each: true })
  retry_statuses?: number[];

  @Doc(
    'Sent as Idempotency-Key. Default: <run id>:<step id>:<digest of the request>, the same at every attempt.',
  )
  @IsOptional()
  @Matches(/^[!-~]{1,255}$/)
  idempotency_key?: string;
}
