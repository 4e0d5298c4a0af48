import type { Io } from '../io.ts';

/**
 * What a shell needs before the commands of `temporal` in some texts work, as a note; null where there are none, the shell
 * has it, or no server runs.
 */
export async function shellNote(io: Io, texts: readonly string[]): Promise<string | null> {
  if (!texts.some((text) => text.includes('temporal workflow '))) return null;
  const [{ configOf }, { resolveTemporal }, { temporalShell }] = await Promise.all([
    import('../context.ts'),
    import('../../config/resolve.ts'),
    import('../up/temporal-shell.ts'),
  ]);
  const config = await configOf(io);
  const temporal = await resolveTemporal(config).catch(() => null);
  const shell = temporal === null ? [] : temporalShell(config, temporal);
  return shell.length === 0
    ? null
    : `note: before a command of temporal, once in this shell: export ${shell.join(' ')}`;
}
