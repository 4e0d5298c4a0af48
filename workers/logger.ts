import { DefaultLogger, type LogLevel } from '@temporalio/worker';

/** Each queue has a worker of its own, so each of them lacks the one or the other, and on purpose; and all six say each step. */
const EXPECTED = /^No (workflows|activities|Nexus services) registered, not polling|^Worker state changed$/;

/** A stopping worker lets go of the runs that it follows, and the SDK calls that a failure; the activity says which. */
const isDetach = (message: string, meta: Meta): boolean =>
  message === 'Activity failed' && (meta?.['error'] as { type?: unknown } | undefined)?.type === 'Detached';

type Meta = Parameters<DefaultLogger['log']>[2];

/** The SDK's logger, but what it tells in vain is told only to who debugs. */
export class WorkerLogger extends DefaultLogger {
  override log(level: LogLevel, message: string, meta?: Meta): void {
    const isVain = EXPECTED.test(message) || isDetach(message, meta);
    const isNews = (level !== 'WARN' && level !== 'INFO') || !isVain;
    super.log(isNews ? level : 'DEBUG', message, meta);
  }
}
