/** Location of workflows in Temporal's Web UI. */
export interface TemporalPages {
  /** URL of the Web UI. */
  uiUrl: string;
  namespace: string;
}

/** The URL of a workflow's page in Temporal's Web UI; null if the Web UI is unknown. */
export function workflowUrl(temporal: TemporalPages | null, workflowId: string): string | null {
  if (temporal === null) return null;
  const namespace = `${temporal.uiUrl.replace(/\/$/, '')}/namespaces/${encodeURIComponent(temporal.namespace)}`;
  return `${namespace}/workflows/${encodeURIComponent(workflowId)}`;
}
