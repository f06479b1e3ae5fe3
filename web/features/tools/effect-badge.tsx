import type { ToolDescriptor } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { toolsTexts } from '../../texts/tools.texts.ts';
import { Badge } from '../../ui/badge.tsx';

/** Shows whether a tool reads, changes or destroys data. */
export function EffectBadge({ tool }: { tool: ToolDescriptor }) {
  const texts = useTexts(toolsTexts);
  const { readOnlyHint, destructiveHint } = tool.annotations;
  if (readOnlyHint) return <Badge tone="good">{texts.reads}</Badge>;
  if (destructiveHint) return <Badge tone="bad">{texts.destroys}</Badge>;
  return <Badge tone="warn">{texts.changes}</Badge>;
}
