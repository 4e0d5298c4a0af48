import {
  errorChain,
  errorCode,
  isPostgresUnreachable,
  postgresUnreachableMessage,
} from '../db/postgres-unreachable.ts';
import { SteeringError } from '../steering/steering-error.ts';

/** Exit codes, a public interface: done, failed, refused input, cannot reach Temporal or Postgres. */
export const EXIT = { done: 0, failed: 1, refused: 2, unreachable: 3 } as const;

export type ErrorCode = 'failed' | 'refused' | 'unreachable';

/** Error that ends a command with one clear message and the exit code of its `code`. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code: ErrorCode;
  /** Result that the command has despite the error. With `--json` it is printed in one object with the error. */
  readonly result: object;
  constructor(code: ErrorCode, message: string, options: ErrorOptions & { result?: object } = {}) {
    super(message, options);
    this.code = code;
    this.result = options.result ?? {};
  }
}

/** Ends a command with the exit code of the program that it ran. */
export class ExitWith extends Error {
  override readonly name = 'ExitWith';
  readonly exitCode: number;
  constructor(exitCode: number) {
    super(`exit code ${exitCode}`);
    this.exitCode = exitCode;
  }
}

export const refused = (message: string): CliError => new CliError('refused', message);

/** Codes of other folders' errors, by the error's name: the comparison of names loads none of their code. */
const BY_NAME: Record<string, ErrorCode> = {
  TaskError: 'refused',
  ConfigError: 'refused',
  CurvesError: 'refused',
  FleetInUseError: 'refused',
  StillNeededError: 'refused',
  PolicyRefusedError: 'refused',
  NamespaceMissingError: 'refused',
  NotRunningError: 'unreachable',
  NewerSchemaError: 'refused',
  RefusedDatabaseError: 'refused',
};

/** Converts an error into a CliError; an unknown error has the code `failed`. */
export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  const chain = errorChain(error);
  const steering = chain.find((cause) => cause instanceof SteeringError);
  if (steering) return new CliError(steering.code, steering.message, { cause: error });
  for (const cause of chain) {
    const known = BY_NAME[cause.name];
    if (known) return new CliError(known, cause.message, { cause: error });
  }
  const postgres = chain.find(isPostgresUnreachable);
  if (postgres) return new CliError('unreachable', postgresUnreachableMessage(postgres), { cause: error });
  if (chain.some((cause) => errorCode(cause) === '42P01'))
    return new CliError(
      'failed',
      'This database has no tables of Perpetua yet. ' +
        'Start `npx perpetua up` or `npx perpetua worker` once: that creates them.',
      { cause: error },
    );
  // The message of the query builder is the query with its parameters; the message of the server is among its causes.
  const first = chain.find((cause) => !cause.message.startsWith('Failed query:')) ?? chain[0];
  return new CliError('failed', first?.message ?? String(error), { cause: error });
}

/** True for an error of a Postgres that is unreachable now. */
export const isPostgresOutage = (error: unknown): boolean => errorChain(error).some(isPostgresUnreachable);
