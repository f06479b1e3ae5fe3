import { nullable, optional, text } from './reader.js';

/** Reads the members that every list tool returns beside its rows. */
export const nextCursor = optional(nullable(text));
