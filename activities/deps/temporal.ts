/** The Temporal server. */
export interface Temporal {
  /** Whether a workflow is under way, closed, or unknown to Temporal. */
  describeWorkflow: (workflowId: string) => Promise<'open' | 'closed' | 'unknown'>;
  /** Whether search attributes could be registered, and why not. */
  searchAttributes: { registered: boolean; reason: string | null };
}
