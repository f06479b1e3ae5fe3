/** A block of MCP content that is not text made of the result: text, image, audio, embedded resource or link. */
export type ContentBlock = { type: string } & Record<string, unknown>;

/** Result of a tool that has no `output` class, because what it returns is content for a model and not data. */
export class ToolContent {
  constructor(readonly content: readonly ContentBlock[]) {}

  static text(text: string): ToolContent {
    return new ToolContent([{ type: 'text', text }]);
  }
}
