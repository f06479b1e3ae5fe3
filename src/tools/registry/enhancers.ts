import 'reflect-metadata';
import { GUARDS_METADATA, INTERCEPTORS_METADATA } from '@nestjs/common/internal';
import type { ApplicationConfig, ExternalContextCreator } from '@nestjs/core';

/** Where Nest keeps those of the whole application; it has no public way to ask for them. */
interface Kept {
  container?: { applicationConfig?: ApplicationConfig };
}

/**
 * Whether guards or interceptors stand around `method` of a class: its own, those of the class, and those of the whole
 * application. In doubt they do.
 */
export function isEnhanced(
  contexts: ExternalContextCreator,
  classes: readonly object[],
  method: object,
): boolean {
  const config = (contexts as unknown as Kept).container?.applicationConfig;
  if (!config) return true;
  const everywhere = [
    config.getGlobalGuards(),
    config.getGlobalRequestGuards(),
    config.getGlobalInterceptors(),
    config.getGlobalRequestInterceptors(),
  ];
  return (
    everywhere.some((enhancers) => enhancers.length > 0) ||
    [...classes, method].some(
      (target) =>
        Reflect.hasMetadata(GUARDS_METADATA, target) ||
        Reflect.hasMetadata(INTERCEPTORS_METADATA, target),
    )
  );
}
