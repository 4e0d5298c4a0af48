import { BLAME, type HostFaultCode, hostFaultOf } from './host-fault.ts';

/** Of what a failed setup said last, for people: what a trial keeps of its failure has room for it. */
const SETUP_CHARS = 1500;

/** Why a host that works is none for a task: it lacks the sandbox, the memory or the programs, or the task's setup fails there. */
export interface Refusal {
  /** How the trial ends if hosts go on refusing it. */
  why: 'failed' | 'setup-failed' | 'tools-missing';
  detail: string;
}

type TaskFault = { [C in HostFaultCode]: (typeof BLAME)[C] extends 'task' ? C : never }[HostFaultCode];

/** How a trial ends by each fault of its task. */
const WHY = {
  'no-sandbox': 'failed',
  'cannot-show': 'tools-missing',
  'setup-failed': 'setup-failed',
} as const satisfies Record<TaskFault, Refusal['why']>;

const isOfTask = (code: HostFaultCode): code is TaskFault => BLAME[code] === 'task';

/** The refusal of a host that an error is: the task may go through elsewhere. Null for any other error. */
export function refusalOf(error: unknown): Refusal | null {
  const fault = hostFaultOf(error);
  if (fault === null || !isOfTask(fault.code)) return null;
  const said = fault.code === 'setup-failed' ? fault.logTail.slice(-SETUP_CHARS) : '';
  return { why: WHY[fault.code], detail: [fault.message, said].filter(Boolean).join('\n') };
}
