import { DefaultLogger, LogTimestamp, type LogLevel, Runtime } from '@temporalio/worker';
import { type Config, ConfigError } from '../config/load.ts';
import { errorChain, errorCode, isPostgresUnreachable } from '../db/postgres-unreachable.ts';

/** Each queue has a worker of its own, so each of them lacks the one or the other, and on purpose; and all six say each step. */
const EXPECTED = /^No (workflows|activities|Nexus services) registered, not polling|^Worker state changed$/;

/** A stopping worker lets go of the runs that it follows, a slow one of a slot that others may have by then: the SDK calls that a failure. */
const LETS_GO: readonly unknown[] = ['Detached', 'OfferLapsed'];
const isLettingGo = (message: string, meta: Meta): boolean =>
  message === 'Activity failed' && LETS_GO.includes((meta?.['error'] as { type?: unknown } | undefined)?.type);

type Meta = Parameters<DefaultLogger['log']>[2];

/** Attempts come a minute apart at most: after so long without one, the next is news. */
const QUIET_MS = 10 * 60_000;

interface Heard {
  count: number;
  since: number;
  lastAt: number;
}

/** Counts what comes again and again; says how often it came where that is worth a line: at the 1st, 2nd, 4th, 8th, … time. */
export function createOutages(): (cause: string, now: number) => { count: number; since: number } | null {
  const heard = new Map<string, Heard>();
  return (cause, now) => {
    for (const [each, { lastAt }] of heard) if (now - lastAt > QUIET_MS) heard.delete(each);
    const { count, since } = heard.get(cause) ?? { count: 0, since: now };
    heard.set(cause, { count: count + 1, since, lastAt: now });
    return Number.isInteger(Math.log2(count + 1)) ? { count: count + 1, since } : null;
  };
}

/**
 * Why a server, or the endpoint of a model, cannot be reached, as one line without statement and stack; null of any other
 * error. A refused connection alone does not say whose it is.
 */
export function outageOf(error: unknown): string | null {
  const chain = errorChain(error);
  const endpoint = chain.find((each) => 'type' in each && each.type === 'EndpointDown');
  if (endpoint !== undefined) return endpoint.message;
  const away = chain.find(isPostgresUnreachable);
  if (away === undefined) return null;
  const words = (each: Error): string => (each.message || (errorCode(each) ?? each.name)).replace(/\s+/g, ' ');
  const isStatement = chain.some((each) => 'query' in each);
  if (isStatement || !('syscall' in away)) return `Postgres does not answer: ${words(away)}`;
  return words(chain.find((each) => each.message !== '') ?? away);
}

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

const LEVELS: Record<Config['logLevel'], LogLevel> = {
  trace: 'TRACE',
  debug: 'DEBUG',
  info: 'INFO',
  warn: 'WARN',
  error: 'ERROR',
  silent: 'ERROR',
};

/** The SDK's one runtime of this process: where it logs to, and its metrics where they are asked for. */
export function installRuntime({ logLevel, metricsAddress }: Config): Runtime {
  const logger = new WorkerLogger(LEVELS[logLevel]);
  if (metricsAddress === null) return Runtime.install({ logger });
  const metrics = { prometheus: { bindAddress: metricsAddress } };
  try {
    return Runtime.install({ logger, telemetryOptions: { metrics } });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError(
      `PERPETUA_METRICS: cannot serve metrics at ${metricsAddress} (${why}). Each worker needs a free port of its own.`,
      { cause: error },
    );
  }
}
