import { lazyRouteComponent } from '@tanstack/react-router';

/** The pages of workflows, runs and events. Each is loaded when a person opens it. */
export const workflowPages = {
  workflowsPage: lazyRouteComponent(
    () => import('../features/workflows/workflows-page.tsx'),
    'WorkflowsPage',
  ),
  newWorkflowPage: lazyRouteComponent(
    () => import('../features/workflows/new-workflow-page.tsx'),
    'NewWorkflowPage',
  ),
  workflowPage: lazyRouteComponent(
    () => import('../features/workflows/workflow-page.tsx'),
    'WorkflowPage',
  ),
  runsPage: lazyRouteComponent(() => import('../features/runs/runs-page.tsx'), 'RunsPage'),
  runPage: lazyRouteComponent(() => import('../features/runs/run-page.tsx'), 'RunPage'),
  eventsPage: lazyRouteComponent(() => import('../features/events/events-page.tsx'), 'EventsPage'),
};
