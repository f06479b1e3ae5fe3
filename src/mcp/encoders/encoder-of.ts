import type { Era, LegacyVersion } from '../era.js';
import type { EraEncoder } from './era-encoder.js';
import { LegacyEncoder } from './legacy.encoder.js';
import { ModernEncoder } from './modern.encoder.js';
import { PlainEncoder } from './plain.encoder.js';

const PLAIN = new PlainEncoder();
const LEGACY: Record<LegacyVersion, EraEncoder> = {
  '2025-11-25': new LegacyEncoder('2025-11-25'),
  '2025-06-18': new LegacyEncoder('2025-06-18'),
  '2025-03-26': new LegacyEncoder('2025-03-26'),
  '2024-11-05': new LegacyEncoder('2024-11-05'),
};
const MODERN = new ModernEncoder();

/** Returns the encoder of an era. It is the same object every time. */
export function encoderOf(era: Era): EraEncoder {
  switch (era.name) {
    case 'plain':
      return PLAIN;
    case 'legacy':
      return LEGACY[era.version];
    case 'modern':
      return MODERN;
  }
}
