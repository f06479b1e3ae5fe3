import { Transform, Type } from 'class-transformer';

/**
 * Leaves an object of free form, or a list of them, as the caller sent it. class-transformer would walk through it,
 * drop a key called "constructor" in silence, and fail where the value of that key is no class.
 */
export function AsSent() {
  return (target: object, property: string): void => {
    // Boolean() takes every value and looks into none; what it makes is replaced by the value itself.
    Type(() => Boolean)(target, property);
    Transform(({ obj }) => (obj as Record<string, unknown>)[property])(target, property);
  };
}
