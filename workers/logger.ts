import { DefaultLogger, type LogLevel } from '@temporalio/worker';

/** Each queue has a worker of its own, so each of them lacks the one or the other, and on purpose. */
const EXPECTED = /^No (workflows|activities) registered, not polling/;

/** The SDK's logger, but what it warns of in vain is told only to who debugs. */
export class WorkerLogger extends DefaultLogger {
  override log(level: LogLevel, message: string, meta?: Parameters<DefaultLogger['log']>[2]): void {
    super.log(level === 'WARN' && EXPECTED.test(message) ? 'DEBUG' : level, message, meta);
  }
}
