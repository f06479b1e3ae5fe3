import type { PipeTransform } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';

/**
 * Creates a pipe for the id of a row in a path. It throws `not_found` for an id with U+0000, which PostgreSQL cannot
 * store. Without this pipe, such an id would be answered as an internal error.
 */
export function pathId(what: string): PipeTransform<string, string> {
  return {
    transform(id) {
      if (id.includes('\0')) throw AppError.notFound(what);
      return id;
    },
  };
}
