import { BLAME, hostFaultOf } from './host-fault.ts';

/** Of what a failed setup said last, for people: what a trial keeps of its failure has room for it. */
const SETUP_CHARS = 1500;

/** Why a host that works is none for a task: it lacks the sandbox or the memory, or the task's setup fails there. */
export interface Refusal {
  /** How the trial ends if hosts go on refusing it. */
  why: 'failed' | 'setup-failed';
  detail: string;
}

/** The refusal of a host that an error is: the task may go through elsewhere. Null for any other error. */
export function refusalOf(error: unknown): Refusal | null {
  const fault = hostFaultOf(error);
  if (fault === null || BLAME[fault.code] !== 'task') return null;
  if (fault.code !== 'setup-failed') return { why: 'failed', detail: fault.message };
  const said = fault.logTail.slice(-SETUP_CHARS);
  return { why: 'setup-failed', detail: [fault.message, said].filter(Boolean).join('\n') };
}
