import { Integer, JsonObject } from '../tools/schema/fields.js';

export class HttpRequestResult {
  @Integer('From 200 to 299; any other status fails the step.')
  status: number;

  @JsonObject('content-type, etag, last-modified, link and location, if the response has them.')
  headers: object;

  @JsonObject(
    '{json, text}: one is the body, the other is null. json is used if the content-type is JSON.',
  )
  body: object;
}
