import { validateSync, type ValidationError } from 'class-validator';
import type { Fault } from '../../errors/app-error.js';
import { invalidArguments } from './invalid-arguments.js';
import type { DtoClass } from './dto-schema.js';
import { instantiate } from './instantiate.js';
import type { ObjectSchema } from './json-schema.js';
import { shape } from './shape-arguments.js';
import { isSurelyValid } from './surely-valid.js';

/**
 * Turns what a caller sent into an instance of `dto`, or throws `invalid_arguments` with every fault and its path.
 * Nulls of optional fields count as absent, because language models send them for "no value".
 */
export function parseArguments<T extends object>(
  dto: DtoClass<T>,
  schema: ObjectSchema,
  given: unknown,
): T {
  const faults: Fault[] = [];
  const shaped = shape(schema, given, '', faults);
  if (faults.length === 0) {
    const instance = instantiate(dto, shaped as object);
    if (isSurelyValid(instance)) return instance;
    const errors = validateSync(instance, {
      whitelist: true,
      forbidNonWhitelisted: true,
      // A class without fields, for a tool without arguments, is no mistake; unknown properties are refused above.
      forbidUnknownValues: false,
    });
    if (errors.length === 0) return instance;
    collect(errors, '', faults);
  }
  throw invalidArguments(faults);
}

function collect(errors: ValidationError[], path: string, faults: Fault[]): void {
  for (const error of errors) {
    const index = /^\d+$/.test(error.property);
    const at = index
      ? `${path}[${error.property}]`
      : path === ''
        ? error.property
        : `${path}.${error.property}`;
    // Decorators apply from the last to the first; the first one written is the type, and says most.
    for (const text of Object.values(error.constraints ?? {}).toReversed()) {
      // class-validator begins its texts with the name of the property, which the path says already.
      faults.push({
        path: at,
        message: text.replace(new RegExp(`^(each value in )?${error.property} `), '$1'),
      });
    }
    collect(error.children ?? [], at, faults);
  }
}
