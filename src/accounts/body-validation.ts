import { ValidationPipe } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';

/** Returns the pipe that validates a request body. A wrong body is answered with 422 and a fault for each field. */
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
