/** What changed in an organization; only ever names, never the data itself. */
export type Change =
  /** A resource, such as `switchboard://runs/run_…`, is new, was changed or is gone. */
  | { readonly kind: 'resource'; readonly uri: string }
  /** The organization's list of tools. */
  | { readonly kind: 'tools' }
  /** Its API key: a new one was made, or the old one was revoked. */
  | { readonly kind: 'keys' };

/** What listeners are told. After a `gap` changes are missing, so anything may have changed. */
export type ChangeNotice = Change | { readonly kind: 'gap' };

/** The change of a contact, a message or a run, under the name that it has as a resource. */
export function resourceChange(folder: ResourceFolder, id: string): Change {
  return { kind: 'resource', uri: resourceUri(folder, id) };
}

export type ResourceFolder = 'contacts' | 'messages' | 'runs';

export function resourceUri(folder: ResourceFolder, id: string): string {
  return `switchboard://${folder}/${id}`;
}
