import { ValidationPipe } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';

/** Validates the body of a dashboard request; a fault is a 422 that names each field. */
export function bodyValidation(): ValidationPipe {
  return new ValidationPipe({
    whitelist: true,
    forbidNonWhitelisted: true,
    transform: true,
    exceptionFactory: (errors) =>
      AppError.invalid(
        'The request is not valid.',
        errors.flatMap((error) =>
          Object.values(error.constraints ?? { type: 'is not valid' }).map((message) => ({
            path: error.property,
            message,
          })),
        ),
      ),
  });
}
