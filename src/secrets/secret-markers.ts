import { Injectable } from '@nestjs/common';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { SecretBox } from '../database/secret-box.js';

const MAC = '[A-Za-z0-9_-]{22}';
const MARKER = new RegExp(`\\{\\{secrets\\.([a-z][a-z0-9_]{0,63})@(${MAC})\\}\\}`, 'g');
/** The largest number of names whose markers one text can have. No step uses so many secrets. */
const MOST_NAMES = 1000;
const REFERENCE = /\bsecrets\.([a-z][a-z0-9_]{0,63})/g;

/**
 * Makes markers: texts that stand for secrets while a step is evaluated and stored. Only the request that is sent
 * contains the secret: `RunScopeService` gives the markers to expressions, and `RequestSecretsService` fills and hides
 * the secrets. A marker is valid in one run only and cannot be forged. So a text of a payload that looks like a
 * marker stays a text.
 */
@Injectable()
export class SecretMarkers {
  private readonly key: string;

  constructor(box: SecretBox) {
    this.key = box.derive('markers of secrets');
  }

  /** Returns the variable `secrets` of expressions, with the names that the texts refer to. */
  variableFor(runId: string, texts: readonly string[]): Record<string, string> {
    const names = texts.flatMap((text) => [...text.matchAll(REFERENCE)].map(([, name]) => name!));
    return Object.fromEntries(
      [...new Set(names)].map((name) => [name, this.markerOf(runId, name)]),
    );
  }

  /** Returns the names of the secrets that a text needs. */
  namesIn(runId: string, text: string): string[] {
    const isValid = this.validator(runId);
    return [...text.matchAll(MARKER)].flatMap(([, name, mac]) =>
      isValid(name!, mac!) ? [name!] : [],
    );
  }

  /** Replaces every marker of the run in the text by the secret that `secretOf` returns for its name. */
  fill(runId: string, text: string, secretOf: (name: string) => string): string {
    const isValid = this.validator(runId);
    return text.replaceAll(MARKER, (marker: string, name: string, mac: string) =>
      isValid(name, mac) ? secretOf(name) : marker,
    );
  }

  private markerOf(runId: string, name: string): string {
    return `{{secrets.${name}@${this.mac(runId, name)}}}`;
  }

  /**
   * Returns a function that checks the markers of one text. It computes the code of each name once. A text with
   * thousands of forged names gets no more than {@link MOST_NAMES} codes.
   */
  private validator(runId: string): (name: string, mac: string) => boolean {
    const codes = new Map<string, Buffer>();
    return (name, mac) => {
      let code = codes.get(name);
      if (!code) {
        if (codes.size === MOST_NAMES) return false;
        codes.set(name, (code = Buffer.from(this.mac(runId, name))));
      }
      return timingSafeEqual(Buffer.from(mac), code);
    };
  }

  private mac(runId: string, name: string): string {
    return createHmac('sha256', this.key)
      .update(`${runId}\0${name}`)
      .digest('base64url')
      .slice(0, 22);
  }
}
