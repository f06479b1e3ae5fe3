import { Flag, Integer, JsonObject } from '../tools/schema/fields.js';

export class HttpRequestResult {
  @Integer('From 200 to 299, or one of accept_statuses.')
  status: number;

  @JsonObject('content-type, etag, last-modified, link and location, if the response has them.')
  headers: object;

  @JsonObject(
    '{json, text}: one is the body, the other is null. json is used if the content-type is JSON.',
  )
  body: object;

  @Integer('How many pages were read.', { optional: true })
  pages?: number;

  @Flag('False when there are more pages than pages.max.', { optional: true })
  complete?: boolean;
}
