import { DefaultLogger, LogTimestamp, type LogLevel } from '@temporalio/worker';
import { createOutages, outageOf } from './outages.ts';

/** Each queue has a worker of its own, so each of them lacks the one or the other, and on purpose; and all six say each step. */
const EXPECTED = /^No (workflows|activities|Nexus services) registered, not polling|^Worker state changed$/;

/** A stopping worker lets go of the runs that it follows, a slow one of a slot that others may have by then: the SDK calls that a failure. */
const LETS_GO: readonly unknown[] = ['Detached', 'OfferLapsed'];
const isLettingGo = (message: string, meta: Meta): boolean =>
  message === 'Activity failed' && LETS_GO.includes((meta?.['error'] as { type?: unknown } | undefined)?.type);

type Meta = Parameters<DefaultLogger['log']>[2];

/** The SDK's logger, but what it tells in vain, and an outage at each attempt, is told only to who debugs. */
export class WorkerLogger extends DefaultLogger {
  readonly #outages = createOutages();

  override log(level: LogLevel, message: string, meta?: Meta): void {
    const outage = level === 'WARN' ? outageOf(meta?.['error']) : null;
    const isVain = outage !== null || EXPECTED.test(message) || isLettingGo(message, meta);
    const isNews = (level !== 'WARN' && level !== 'INFO') || !isVain;
    if (outage !== null) this.#tell(`${message}: ${outage}`, meta?.[LogTimestamp]);
    super.log(isNews ? level : 'DEBUG', message, meta);
  }

  /** One line a cause, ever more seldom. */
  #tell(line: string, timestamp: unknown): void {
    const told = this.#outages(line, Date.now());
    if (told === null) return;
    const again = told.count === 1 ? '' : ` (${told.count} times since ${new Date(told.since).toISOString()})`;
    super.log('WARN', line + again, timestamp === undefined ? undefined : { [LogTimestamp]: timestamp });
  }
}
