import { Link, useParams } from '@tanstack/react-router';
import { useTool, useToolList } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { toolsTexts } from '../../texts/tools.texts.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Icon } from '../../ui/icon.tsx';
import { NotFound } from '../../ui/not-found.tsx';
import { Page, backClass } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/state.tsx';
import { EffectBadge } from './effect-badge.tsx';
import { PolicySection } from './policy-section.tsx';
import { policyList } from './tool.readers.ts';
import { TrySection } from './try-section.tsx';

/** Shows one tool: its description, a form that calls it, and its policy. */
export function ToolPage() {
  const texts = useTexts(toolsTexts);
  const { tool: name } = useParams({ from: '/signed-in/tools/$tool' });
  const tools = useToolList();
  const policies = useTool('list_tool_policies', {}, policyList);
  const tool = tools.data?.find((each) => each.name === name);
  const policy = policies.data?.policies.find((each) => each.tool === name);
  const back = (
    <Link to="/tools" className={backClass}>
      <Icon name="chevronLeft" />
      {texts.all}
    </Link>
  );
  // A hidden tool is not in the list of tools, but it has a policy.
  if (tools.data && !tool && !policies.isPending && !policy) return <NotFound back={back} />;
  return (
    <Page
      title={tool?.title ?? name}
      about={tool?.description ?? (policy?.hidden && texts.hiddenAbout)}
      actions={tool && <EffectBadge tool={tool} />}
      back={back}
    >
      {tools.error && <ErrorPanel error={tools.error} onRetry={() => void tools.refetch()} />}
      {(tools.isPending || policies.isPending) && <Skeleton rows={6} />}
      {tool && <TrySection key={name} tool={tool} />}
      {(tool ?? policy) && policies.data && (
        <PolicySection
          key={JSON.stringify([name, policy])}
          policy={policy ?? { tool: name, hidden: false, confirmation: 'never' }}
        />
      )}
    </Page>
  );
}
