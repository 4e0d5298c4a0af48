import { constants } from 'node:os';
import type { JobEnded } from '../../domain/job/ended.ts';

/** Exit code of a command that ended by itself, in a shell's form; null if a limit ended it, or it never ran. */
export function exitCodeOf({ why, end }: JobEnded): number | null {
  if (why !== 'ended' || end?.reason !== 'exit') return null;
  if (end.signal !== null) return 128 + ((constants.signals as Record<string, number>)[end.signal] ?? 0);
  return end.exitCode;
}

const WHY: Record<JobEnded['why'], string> = {
  ended: 'A limit of its task ended it',
  cancelled: 'It was stopped',
  'machine-lost': 'Its run was lost with its machine more than once',
  contended: 'Other processes used its core in every run',
  'setup-failed': 'Its machine could not be prepared for its task',
  'tools-missing': 'Its machine lacks what the task names in requires, run.path or run.readable',
  failed: 'Perpetua could not run it',
  replaced: 'Another arm of the mixture took over its trial',
};

/** Describes why a command did not end by itself. */
export function whyEnded({ why, detail, end }: JobEnded): string {
  const reason = why === 'ended' ? end?.reason : detail;
  return reason ? `${WHY[why]}: ${reason}.` : `${WHY[why]}.`;
}
