const CODE = 'evaluator-sandbox-missing';

/**
 * The machine gives an evaluator no sandbox now, although it gave one before, or although the evaluation requires one.
 * The cause is the machine's, often a shortage for a moment, so the evaluation is repeated.
 */
export class SandboxMissingError extends Error {
  override name = 'SandboxMissingError';
  readonly code = CODE;
  constructor() {
    super(
      'evaluator: expected this machine to give a sandbox, as it did before; it gives none now. ' +
        'The evaluation is repeated until it does. To see the reason: npx perpetua doctor',
    );
  }
}

export const isSandboxMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === CODE;
