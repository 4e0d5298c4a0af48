import { assertNever } from '../assert-never.ts';
import { hostFaultOf } from './host-fault.ts';

/** Of what a failed setup said last, for people: what a trial keeps of its failure has room for it. */
const SETUP_CHARS = 1500;

/** Why a host that works is none for a task: it lacks the sandbox or the memory, or the task's setup fails there. */
export interface Refusal {
  /** How the trial ends if hosts go on refusing it. */
  why: 'failed' | 'setup-failed';
  detail: string;
}

/** What a host refused to a task that may go through elsewhere, where the error is one; null for any other. */
export function refusalOf(error: unknown): Refusal | null {
  const fault = hostFaultOf(error);
  if (fault === null) return null;
  switch (fault.code) {
    case 'no-sandbox':
      return { why: 'failed', detail: fault.message };
    case 'setup-failed':
      return {
        why: 'setup-failed',
        detail: [fault.message, fault.logTail.slice(-SETUP_CHARS)].filter(Boolean).join('\n'),
      };
    case 'host-unreachable':
    case 'host-key':
    case 'host-auth':
    case 'host-config':
    case 'host-unusable':
    case 'run-gone':
    case 'host-unknown':
    case 'slot-taken':
    case 'stage-missing':
    case 'talk-replaced':
      return null;
    default:
      return assertNever(fault);
  }
}
