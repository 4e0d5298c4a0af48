import { DefaultLogger, LogTimestamp, type LogLevel, Runtime } from '@temporalio/worker';
import { type Config, ConfigError } from '../config/load.ts';
import { errorChain, errorCode, isPostgresUnreachable } from '../db/postgres-unreachable.ts';

/**
 * Expected messages: each queue's worker lacks workflows or activities on purpose, and all of them report each state.
 */
const EXPECTED = /^No (workflows|activities|Nexus services) registered, not polling|^Worker state changed$/;

/**
 * Types of activity failures that are no faults: a stopping worker detaches from the runs that it follows, or an offer
 * of a slot lapsed and others may have the slot. The SDK logs them as failures.
 */
const LETS_GO: readonly unknown[] = ['Detached', 'OfferLapsed'];
const isLettingGo = (message: string, meta: Meta): boolean =>
  message === 'Activity failed' && LETS_GO.includes((meta?.['error'] as { type?: unknown } | undefined)?.type);

type Meta = Parameters<DefaultLogger['log']>[2];

/** Time without an attempt after which the next one is news; attempts are at most a minute apart. */
const QUIET_MS = 10 * 60_000;

interface Repeats {
  count: number;
  since: number;
  lastAt: number;
}

/** Counts repeated causes. Returns the count if it is worth a line (the 1st, 2nd, 4th, 8th, … time), else null. */
export function createOutages(): (cause: string, now: number) => { count: number; since: number } | null {
  const repeats = new Map<string, Repeats>();
  return (cause, now) => {
    for (const [each, { lastAt }] of repeats) if (now - lastAt > QUIET_MS) repeats.delete(each);
    const { count, since } = repeats.get(cause) ?? { count: 0, since: now };
    repeats.set(cause, { count: count + 1, since, lastAt: now });
    return Number.isInteger(Math.log2(count + 1)) ? { count: count + 1, since } : null;
  };
}

/**
 * Reason why a server, or the endpoint of a model, cannot be reached, in one line without statement and stack; null for
 * any other error. A refused connection alone does not show which server it is.
 */
export function outageOf(error: unknown): string | null {
  const chain = errorChain(error);
  const endpoint = chain.find((each) => 'type' in each && each.type === 'EndpointDown');
  if (endpoint !== undefined) return endpoint.message;
  const away = chain.find(isPostgresUnreachable);
  if (away === undefined) return null;
  const textOf = (each: Error): string => (each.message || (errorCode(each) ?? each.name)).replace(/\s+/g, ' ');
  const isStatement = chain.some((each) => 'query' in each);
  if (isStatement || !('syscall' in away)) return `Postgres does not answer: ${textOf(away)}`;
  return textOf(chain.find((each) => each.message !== '') ?? away);
}

/** Logger of the SDK that writes expected messages, and an outage at each attempt, only at the level DEBUG. */
export class WorkerLogger extends DefaultLogger {
  readonly #outages = createOutages();

  override log(level: LogLevel, message: string, meta?: Meta): void {
    const outage = level === 'WARN' ? outageOf(meta?.['error']) : null;
    const isVain = outage !== null || EXPECTED.test(message) || isLettingGo(message, meta);
    const isNews = (level !== 'WARN' && level !== 'INFO') || !isVain;
    if (outage !== null) this.#report(`${message}: ${outage}`, meta?.[LogTimestamp]);
    super.log(isNews ? level : 'DEBUG', message, meta);
  }

  /** Logs one line for a cause, ever more rarely. */
  #report(line: string, timestamp: unknown): void {
    const outage = this.#outages(line, Date.now());
    if (outage === null) return;
    const again = outage.count === 1 ? '' : ` (${outage.count} times since ${new Date(outage.since).toISOString()})`;
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

/** Installs the SDK's only runtime of this process: with its logger, and with metrics if they are configured. */
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
