/** Where a person looks at workflows. */
export interface TemporalPages {
  /** Of its Web UI. */
  uiUrl: string;
  namespace: string;
}

/** The page of a workflow in Temporal's Web UI; null where none is known. */
export const workflowUrl = (temporal: TemporalPages | null, workflowId: string): string | null =>
  temporal === null
    ? null
    : `${temporal.uiUrl.replace(/\/$/, '')}/namespaces/${encodeURIComponent(temporal.namespace)}/workflows/${encodeURIComponent(workflowId)}`;
