const TABS = ['edit', 'test', 'versions', 'trigger', 'deliveries'] as const;

export type WorkflowTab = (typeof TABS)[number];

/** Returns the tab that the URL of a workflow page names, or undefined for an unknown tab. */
export function readWorkflowTab(value: unknown): WorkflowTab | undefined {
  return TABS.find((tab) => tab === value);
}
