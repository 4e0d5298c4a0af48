import { getExternalWorkflowHandle, isCancellation, log, workflowInfo } from '@temporalio/workflow';

/**
 * Tells a research of what has ended, where it would not hear of it from Temporal: the run that began this workflow is not the one
 * in charge, `researchRun`. A research that closed is no error, since the database has it.
 */
export async function signalResearch(
  { researchId, researchRun }: { researchId: string; researchRun: string | null },
  { signal, args = [] }: { signal: string; args?: unknown[] },
): Promise<void> {
  if (researchRun !== null && researchRun === workflowInfo().parent?.runId) return;
  try {
    await getExternalWorkflowHandle(researchId).signal(signal, ...args);
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.info('the research is closed; what ended is in the database', { researchId, error: String(error) });
  }
}
