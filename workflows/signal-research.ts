import { getExternalWorkflowHandle, isCancellation, log, workflowInfo } from '@temporalio/workflow';

/**
 * Signals a research that a trial or an update has ended, unless Temporal reports the end itself: that is the case if
 * the run in charge, `researchRun`, is this workflow's parent. A closed research is no error, since the end is in the
 * database.
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
