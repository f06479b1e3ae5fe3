/** A picture that clients may show beside a name. Fields as in the MCP specification. */
export interface Icon {
  /** An https: or data: URI. */
  src: string;
  mimeType?: string;
  /** `48x48`, or `any` for pictures of every size. */
  sizes?: string[];
}
