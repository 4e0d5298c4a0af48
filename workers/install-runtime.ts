import { Runtime, type LogLevel } from '@temporalio/worker';
import { ConfigError, type Config } from '../config/load.ts';
import { WorkerLogger } from './logger.ts';

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
