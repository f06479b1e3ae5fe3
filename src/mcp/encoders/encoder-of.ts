import { type Era, LEGACY_VERSIONS } from '../era.js';
import { EraEncoder } from './era-encoder.js';
import { ModernEncoder } from './modern.encoder.js';

const PLAIN = new EraEncoder();
const LEGACY = new Map(LEGACY_VERSIONS.map((version) => [version, new EraEncoder(version)]));
const MODERN = new ModernEncoder();

/** Returns the encoder for an era of MCP revisions. Repeated calls return the same object. */
export function encoderOf(era: Era): EraEncoder {
  if (era.name === 'modern') return MODERN;
  return era.name === 'plain' ? PLAIN : LEGACY.get(era.version)!;
}
