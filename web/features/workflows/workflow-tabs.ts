const TABS = ['edit', 'test', 'versions', 'trigger', 'deliveries'] as const;

export type WorkflowTab = (typeof TABS)[number];

/** Reads the open part of the page of a workflow from its address. */
export function readWorkflowTab(value: unknown): WorkflowTab | undefined {
  return TABS.find((tab) => tab === value);
}
