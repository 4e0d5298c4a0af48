import {
  errorChain,
  errorCode,
  isPostgresUnreachable,
  postgresUnreachableMessage,
} from '../db/postgres-unreachable.ts';

/** Exit codes, a contract: done, failed, refused input, cannot reach Temporal or Postgres. */
export const EXIT = { done: 0, failed: 1, refused: 2, unreachable: 3 } as const;

export type ErrorCode = 'failed' | 'refused' | 'unreachable';

/** What a command ends with when it cannot do what was asked: one clear message. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code: ErrorCode;
  /** What the command has to tell all the same: with `--json` it is one object with the error. */
  readonly result: object;
  constructor(code: ErrorCode, message: string, options: ErrorOptions & { result?: object } = {}) {
    super(message, options);
    this.code = code;
    this.result = options.result ?? {};
  }
}

/** A command that hands on the exit code of what it ran. */
export class ExitWith extends Error {
  override readonly name = 'ExitWith';
  readonly exitCode: number;
  constructor(exitCode: number) {
    super(`exit code ${exitCode}`);
    this.exitCode = exitCode;
  }
}

export const refused = (message: string): CliError => new CliError('refused', message);

/** Errors of other folders by name, so that telling them apart loads none of their code. */
const BY_NAME: Record<string, ErrorCode> = {
  TaskError: 'refused',
  ConfigError: 'refused',
  CurvesError: 'refused',
  FleetInUseError: 'refused',
  StillNeededError: 'refused',
  PolicyRefusedError: 'refused',
  NotRunningError: 'unreachable',
  NewerSchemaError: 'refused',
};
/** Every error as one that has a code; what is not known by its form failed. */
export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  const chain = errorChain(error);
  for (const cause of chain) {
    const known = BY_NAME[cause.name];
    if (known) return new CliError(known, cause.message, { cause: error });
  }
  const postgres = chain.find(isPostgresUnreachable);
  if (postgres) return new CliError('unreachable', postgresUnreachableMessage(postgres), { cause: error });
  if (chain.some((cause) => errorCode(cause) === '42P01'))
    return new CliError(
      'failed',
      'This database has no tables of Perpetua yet. Start `npx perpetua up` or `npx perpetua worker` once: it makes them.',
      { cause: error },
    );
  // The query builder's own message is the query with its parameters; the server's, inside, says what is wrong.
  const first = chain.find((cause) => !cause.message.startsWith('Failed query:')) ?? chain[0];
  return new CliError('failed', first?.message ?? String(error), { cause: error });
}

/** True for an error that says that Postgres cannot be reached now. */
export const isPostgresOutage = (error: unknown): boolean => errorChain(error).some(isPostgresUnreachable);
