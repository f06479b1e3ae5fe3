import { IsInt, IsObject } from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';

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
