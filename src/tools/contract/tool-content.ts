/** A block of MCP content that is not text made of the result: text, image, audio, embedded resource or link. */
export type ContentBlock = { type: string } & Record<string, unknown>;

/** Result of a tool that has no `output` class, because what it returns is content for a model and not data. */
export class ToolContent {
  constructor(readonly content: readonly ContentBlock[]) {}

  static text(text: string): ToolContent {
    return new ToolContent([{ type: 'text', text }]);
  }
}

/** A picture that clients may show beside a name. Fields as in the MCP specification. */
export interface Icon {
  /** An https: or data: URI. */
  src: string;
  mimeType?: string;
  /** `48x48`, or `any` for pictures of every size. */
  sizes?: string[];
}
