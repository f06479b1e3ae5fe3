import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ToolDescriptor, useTool, useToolList } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { toolsTexts } from '../../texts/tools.texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { TextField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { EffectBadge } from './effect-badge.tsx';
import { matchTools } from './match-tools.ts';
import { type Policy, policyList } from './tool.readers.ts';
import styles from './tools.module.css';

interface Row {
  name: string;
  title: string;
  description: string;
  tool?: ToolDescriptor;
  policy?: Policy;
}

/** Shows every tool with its policy. The words of the search are in the address. */
export function ToolsPage() {
  const texts = useTexts(toolsTexts);
  const { q = '' } = useSearch({ from: '/signed-in/tools' });
  const navigate = useNavigate();
  const tools = useToolList();
  // Only owners may read policies. Other people see the tools without policies.
  const policies = useTool('list_tool_policies', {}, policyList);
  const search = (typed: string): void =>
    void navigate({ to: '/tools', search: typed ? { q: typed } : {}, replace: true });
  const rows = tools.data && matchTools(join(tools.data, policies.data?.policies ?? []), q);
  return (
    <Page title={texts.title} about={texts.about}>
      <div className={styles.search}>
        <TextField
          type="search"
          label={texts.search}
          placeholder={texts.searchAbout}
          value={q}
          onChange={search}
        />
      </div>
      {tools.error && <ErrorPanel error={tools.error} onRetry={() => void tools.refetch()} />}
      {tools.isPending && <Skeleton rows={10} />}
      {rows?.length === 0 && (
        <EmptyState
          title={texts.none}
          actions={<Button onClick={() => search('')}>{texts.clear}</Button>}
        >
          {texts.noneAbout}
        </EmptyState>
      )}
      {rows && rows.length > 0 && (
        <Table
          label={texts.title}
          rows={rows}
          keyOf={({ name }) => name}
          isLinked
          columns={[
            {
              name: texts.name,
              cell: ({ name }) => (
                <Link to="/tools/$tool" params={{ tool: name }}>
                  {name}
                </Link>
              ),
            },
            { name: texts.what, cell: ({ title }) => title },
            { name: texts.effect, cell: ({ tool }) => tool && <EffectBadge tool={tool} /> },
            {
              name: texts.policy,
              cell: ({ policy }) => policy && <PolicyBadges policy={policy} />,
            },
          ]}
        />
      )}
    </Page>
  );
}

function PolicyBadges({ policy }: { policy: Policy }) {
  const texts = useTexts(toolsTexts);
  const confirmations: Readonly<Record<string, string>> = texts.confirmations;
  const { hidden, confirmation } = policy;
  return (
    <span className={styles.badges}>
      {hidden && <Badge>{texts.hidden}</Badge>}
      {confirmation !== 'never' && (
        <Badge tone="warn">{confirmations[confirmation] ?? confirmation}</Badge>
      )}
    </span>
  );
}

/** Adds the policies to the tools. A hidden tool is not in the list of tools, but it has a policy. */
function join(tools: readonly ToolDescriptor[], policies: readonly Policy[]): Row[] {
  const policyOf = new Map(policies.map((policy) => [policy.tool, policy]));
  const known = tools.map((tool): Row => {
    const policy = policyOf.get(tool.name);
    const { name, title, description } = tool;
    return { name, title, description, tool, ...(policy && { policy }) };
  });
  const names = new Set(known.map(({ name }) => name));
  const others = policies
    .filter(({ tool }) => !names.has(tool))
    .map((policy): Row => ({ name: policy.tool, title: '', description: '', policy }));
  return [...known, ...others].sort((one, other) => (one.name < other.name ? -1 : 1));
}
