import { Injectable } from '@nestjs/common';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { SecretBox } from '../database/secret-box.js';

const MAC = '[A-Za-z0-9_-]{22}';
const MARKER = new RegExp(`\\{\\{secrets\\.([a-z][a-z0-9_]{0,63})@(${MAC})\\}\\}`, 'g');
/** The largest number of names whose markers one text can have. No step uses so many secrets. */
const MOST_NAMES = 1000;
const REFERENCE = /\bsecrets\.([a-z][a-z0-9_]{0,63})/g;

/** The step whose arguments contain a marker, by its path in the run. */
export interface MarkerPlace {
  readonly runId: string;
  readonly stepPath: string;
}

/**
 * Makes markers: texts that stand for secrets while a step is evaluated and stored. Only steps with the tool
 * `http_request` may use secrets. `StepChecks` (`definitions/steps/`) refuses secrets in other steps when the workflow
 * is saved. In other steps, a marker stays a text. `RunScopeService` gives the markers to expressions.
 * `RequestSecretsService` puts the secrets only into the request that is sent, and hides them in responses and errors.
 * A marker is valid in one step of one run only, or in one iteration of it, and cannot be forged. So a text of a
 * payload that looks like a marker stays a text, even when it was copied from another step of the run.
 */
@Injectable()
export class SecretMarkers {
  /**
   * The keys of markers. The first one makes markers. Markers of the previous key stay valid, so that waiting steps
   * still get their secrets.
   */
  private readonly keys: readonly [string, ...string[]];

  constructor(box: SecretBox) {
    this.keys = box.deriveAll('markers of secrets');
  }

  /** Returns the variable `secrets` of expressions, with the names that the texts refer to. */
  variableFor(place: MarkerPlace, texts: readonly string[]): Record<string, string> {
    const names = texts.flatMap((text) => [...text.matchAll(REFERENCE)].map(([, name]) => name!));
    return Object.fromEntries(
      [...new Set(names)].map((name) => [name, this.markerOf(place, name)]),
    );
  }

  /** Returns the names of the secrets that a text needs. */
  namesIn(place: MarkerPlace, text: string): string[] {
    const isValid = this.validator(place);
    return [...text.matchAll(MARKER)].flatMap(([, name, mac]) =>
      isValid(name!, mac!) ? [name!] : [],
    );
  }

  /** Returns the text in front of the first marker of the step, or undefined if the text has none. */
  textBefore(place: MarkerPlace, text: string): string | undefined {
    const isValid = this.validator(place);
    for (const { 1: name, 2: mac, index } of text.matchAll(MARKER)) {
      if (isValid(name!, mac!)) return text.slice(0, index);
    }
    return undefined;
  }

  /** Replaces every marker of the step in the text by the secret that `secretOf` returns for its name. */
  fill(place: MarkerPlace, text: string, secretOf: (name: string) => string): string {
    const isValid = this.validator(place);
    return text.replaceAll(MARKER, (marker: string, name: string, mac: string) =>
      isValid(name, mac) ? secretOf(name) : marker,
    );
  }

  private markerOf(place: MarkerPlace, name: string): string {
    return `{{secrets.${name}@${macOf(this.keys[0], place, name)}}}`;
  }

  /**
   * Returns a function that checks the markers of one text. It computes the code of each name once. A text with
   * thousands of forged names gets no more than {@link MOST_NAMES} codes.
   */
  private validator(place: MarkerPlace): (name: string, mac: string) => boolean {
    const codes = new Map<string, Buffer[]>();
    return (name, mac) => {
      let valid = codes.get(name);
      if (!valid) {
        if (codes.size === MOST_NAMES) return false;
        valid = this.keys.map((key) => Buffer.from(macOf(key, place, name)));
        codes.set(name, valid);
      }
      const given = Buffer.from(mac);
      return valid.some((code) => timingSafeEqual(given, code));
    };
  }
}

function macOf(key: string, { runId, stepPath }: MarkerPlace, name: string): string {
  return createHmac('sha256', key)
    .update(`${runId}\0${stepPath}\0${name}`)
    .digest('base64url')
    .slice(0, 22);
}
