import { Flag, Integer, JsonObject, Nested, Text } from '../tools/schema/fields.js';

export class FileResult {
  @Text('Lets a later step send the file.')
  id: string;

  @Text()
  name: string;

  @Text('Sent by the other system.')
  content_type: string;

  @Integer('In bytes.')
  size: number;

  @Text('In hexadecimal digits.')
  sha256: string;
}

export class HttpRequestResult {
  @Integer('From 200 to 299, or one of accept_statuses.')
  status: number;

  @JsonObject('content-type, etag, last-modified, link and location, if the response has them.')
  headers: object;

  @JsonObject(
    '{json, text}: one is the body, the other is null. json is used if the content-type is JSON. Both are null with a file.',
  )
  body: object;

  @Nested(() => FileResult, 'The body, kept with the run.', { optional: true })
  file?: FileResult;

  @Integer('How many pages were read.', { optional: true })
  pages?: number;

  @Flag('False when there are more pages than pages.max.', { optional: true })
  complete?: boolean;
}
