import type { Io } from '../io.ts';
import { configOf } from '../context.ts';
import { resolveTemporal } from '../../config/resolve.ts';
import { temporalShellVariables } from '../up/temporal-shell-variables.ts';

/**
 * A note of the variables that the commands of `temporal` in some texts need; null where there are no such commands, the
 * shell has the variables, or no server runs.
 */
export async function shellNote(io: Io, texts: readonly string[]): Promise<string | null> {
  if (!texts.some((text) => text.includes('temporal workflow '))) return null;
  const config = configOf(io);
  const temporal = await resolveTemporal(config).catch(() => null);
  const shell = temporal === null ? [] : temporalShellVariables(config, temporal);
  return shell.length === 0
    ? null
    : `note: before a command of temporal, once in this shell: export ${shell.join(' ')}`;
}
