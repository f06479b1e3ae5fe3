import { hidePermissionSignatures } from '../text/permission-signature.js';

/**
 * The variables with links of one message. Templates see the links without their signatures, and {@link fillIn} adds
 * the signatures to the rendered texts. Otherwise a filter such as `base64_encode` could encode a signature, and the
 * encoded signature would not be hidden from readers of the message.
 */
export class MessageLinks {
  readonly variables: Readonly<Record<string, string>>;

  constructor(private readonly urls: Readonly<Record<string, string>>) {
    this.variables = Object.fromEntries(
      Object.entries(urls).map(([name, url]) => [name, hidePermissionSignatures(url)]),
    );
  }

  /** Makes the links in a rendered text valid. The text keeps its length. */
  fillIn(text: string): string {
    let filled = text;
    for (const url of Object.values(this.urls)) {
      const token = url.slice(url.lastIndexOf('/') + 1);
      filled = filled.replaceAll(hidePermissionSignatures(token), token);
    }
    return filled;
  }
}
