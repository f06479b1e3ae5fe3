/** Applies decorators as TypeScript does, for files that are not compiled. */
export function decorate(type, classDecorators, methods = {}) {
  for (const [name, { decorators = [], parameters = [], types = [] }] of Object.entries(methods)) {
    parameters.forEach((parameter, index) => parameter(type.prototype, name, index));
    Reflect.defineMetadata('design:paramtypes', types, type.prototype, name);
    const descriptor = Object.getOwnPropertyDescriptor(type.prototype, name);
    for (const decorator of decorators.toReversed()) decorator(type.prototype, name, descriptor);
  }
  for (const decorator of classDecorators.toReversed()) decorator(type);
}
