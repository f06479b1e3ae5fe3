import { type ReactNode, useState } from 'react';
import { developerTexts } from '../../texts/developer.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Section } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import styles from './developer.module.css';
import {
  type Access,
  claudeCode,
  curl,
  cursorFile,
  inspector,
  vscodeFile,
  vscodeLink,
} from './snippets.ts';

const CLIENTS = ['claude', 'cursor', 'vscode', 'inspector', 'curl', 'hosted'] as const;
type Client = (typeof CLIENTS)[number];
const NAMES: Record<Exclude<Client, 'hosted'>, string> = {
  claude: 'Claude Code',
  cursor: 'Cursor',
  vscode: 'VS Code',
  inspector: 'MCP Inspector',
  curl: 'curl',
};

const FILE = 'mcp.json';

/** Shows ready snippets for the usual clients. */
export function ConnectSection({ apiKey }: { apiKey: string | undefined }) {
  const { connect: texts } = useTexts(developerTexts);
  const [client, setClient] = useState<Client>('claude');
  const access: Access = { origin: location.origin, key: apiKey };
  const contents: Record<Client, ReactNode> = {
    claude: <Snippet about={texts.claude} title={texts.terminal} code={claudeCode(access)} />,
    cursor: <Snippet about={texts.cursor} title={FILE} code={cursorFile(access)} />,
    vscode: (
      <Snippet about={texts.vscode} title={FILE} code={vscodeFile(access)}>
        <div>
          <a className={buttonClass()} href={vscodeLink(access)}>
            {texts.install}
          </a>
        </div>
      </Snippet>
    ),
    inspector: <Snippet about={texts.inspector} title={texts.terminal} code={inspector(access)} />,
    curl: <Snippet about={texts.curl} title={texts.terminal} code={curl(access)} />,
    hosted: <p className={styles.prose}>{texts.hostedText}</p>,
  };
  const note = apiKey === undefined ? texts.withoutKey : texts.withKey;
  return (
    <Section title={texts.title} about={`${texts.about} ${note}`}>
      <Tabs
        label={texts.title}
        value={client}
        onChange={setClient}
        tabs={CLIENTS.map((value) => ({
          value,
          label: value === 'hosted' ? texts.hosted : NAMES[value],
          content: contents[value],
        }))}
      />
    </Section>
  );
}

function Snippet({
  about,
  title,
  code,
  children,
}: {
  about: string;
  title: string;
  code: string;
  children?: ReactNode;
}) {
  return (
    <div className={styles.snippet}>
      <p className={styles.prose}>{about}</p>
      <CodeBlock title={title} code={code} isWrapped />
      {children}
    </div>
  );
}
