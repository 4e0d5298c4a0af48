import { DefaultLogger, type LogLevel } from '@temporalio/worker';

/** Each queue has a worker of its own, so each of them lacks the one or the other, and on purpose; and all six say each step. */
const EXPECTED = /^No (workflows|activities|Nexus services) registered, not polling|^Worker state changed$/;

/** The SDK's logger, but what it tells in vain is told only to who debugs. */
export class WorkerLogger extends DefaultLogger {
  override log(level: LogLevel, message: string, meta?: Parameters<DefaultLogger['log']>[2]): void {
    const isNews = (level !== 'WARN' && level !== 'INFO') || !EXPECTED.test(message);
    super.log(isNews ? level : 'DEBUG', message, meta);
  }
}
